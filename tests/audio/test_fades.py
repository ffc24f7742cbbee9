import numpy as np
import pytest

from appliance.audio.fades import cross_fade, fade_ends, rising

LOUD = np.full(800, 0.5, np.float32)


def test_ends_are_nothing_and_the_middle_is_untouched() -> None:
    faded = fade_ends(LOUD)
    assert abs(faded[0]) < 0.002
    assert abs(faded[-1]) < 0.002
    assert (faded[24:-80] == 0.5).all()
    assert np.abs(np.diff(faded)).max() < 0.05
    assert (LOUD == 0.5).all()


def test_at_another_rate_the_fades_last_as_long() -> None:
    assert (fade_ends(np.repeat(LOUD, 2), rate_hz=16000)[48:-160] == 0.5).all()


@pytest.mark.parametrize("length", [0, 1, 2, 30])
def test_a_short_sound_fades_all_along(length: int) -> None:
    faded = fade_ends(LOUD[:length])
    assert len(faded) == length
    assert np.abs(faded).max(initial=0) <= 0.5


def test_gains_of_a_cross_fade_add_up_to_one() -> None:
    assert np.allclose(cross_fade(LOUD, LOUD), LOUD)
    over = cross_fade(LOUD, -LOUD)
    assert over[0] == pytest.approx(0.5, abs=1e-3)
    assert over[-1] == pytest.approx(-0.5, abs=1e-3)


def test_only_as_much_goes_over_as_there_is() -> None:
    with pytest.raises(ValueError, match="800 samples do not go over into 10"):
        cross_fade(LOUD, LOUD[:10])


def test_the_curve_is_symmetric() -> None:
    assert np.allclose(rising(33) + rising(33)[::-1], 1)

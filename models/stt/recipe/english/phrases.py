"""What callers of the five flows say, as small grammars that multiply out to thousands.

A pattern is text with ``[a|b|]`` choices (an empty choice leaves the words out) and ``{slot}``
places that `texts` fills. Data only, so that a flow author can add lines without reading code.
"""

# ruff: noqa: E501, SIM905  (one pattern a line; lists of words are data)

from __future__ import annotations

YES_NO = """
yes|yes|yeah|yep|yup|sure|okay|ok|right|correct|exactly|absolutely|of course|mm hmm|uh huh|no|no|
nope|nah|no way|not really|not at all|never|not now
yes [it is|i am|i do|that's me|this is|please|sir|ma'am|i can|i did|it was|we can|you can]
[yes|yeah|yep|sure|okay|right] [that's right|that is correct|that's correct|that's me|correct]
[that's|that is] [right|correct|me|fine|good|okay|it|wrong|not right|not correct|not me|not mine]
[this is|yes this is|yeah this is] [he|she|him|her|me]
[you got it|sounds good|sounds right|i agree|i guess|i guess so|i think so|fine|all right|perfect]
[yes|no|yeah] [yes|no|yeah]
[no|nope|no no] [it isn't|it's not|i'm not|i don't|that's not me|thank you|thanks|not me|sorry]
[no|nope|sorry] [that's wrong|that is wrong|that's not right|wrong number|wrong person|not today]
[not me|wrong number|wrong person|not here|i don't think so|i do not|i can't|i won't|of course not]
[you have|you've got|i think you have] the wrong [number|person]
[no|sorry|] [he's|she's|they're] not [here|home|available|in] [right now|today|]
[um|uh|well|oh] [yes|yeah|no|sure|okay|nope|i guess so|not really|that's right|i think so]
[definitely|certainly|probably|maybe|possibly] [yes|not|]
[hello|hi|hey|good morning|good afternoon|good evening] [there|] [yes|who is this|how are you|]
"""

COLLECTIONS = """
[please|] [stop calling|don't call|do not call|quit calling] [me|me again|this number|my house|me at work|my job] [please|anymore|]
[take|remove] [me|my number|my name] [off|from] [your|the] [list|call list|calling list] [please|now|]
[i want to|let me|can i|could i|i need to|i'd like to|i would like to] [talk to|speak to|speak with|talk with] [a human|an agent|a representative|a person|a real person|somebody|someone|your supervisor|a manager|an operator] [please|]
[human|agent|representative|operator|supervisor|person|real person|customer service] [please|]
[give me|get me|connect me to|transfer me to|put me through to] [a human|an agent|a representative|a person|a manager|billing|your supervisor] [please|]
[i can't|i cannot|i can not|i'm not able to|i won't be able to] [pay|pay this|pay that|pay it|pay anything|afford it|afford that|do that|make that payment] [right now|today|this month|at the moment|]
i [just|] [lost my job|got laid off|am out of work|have no money|don't have any money|don't have a job|am on disability|am unemployed] [right now|last month|in {month}|]
[i'll|i will|i can|i could|let me|i'm going to] [pay|pay it|pay you|pay that|send a payment|make a payment|send it|take care of it] {date}
[i'll|i will|i can|i could] pay [half|{sum}|all of it|part of it|the full amount|something] {date} [and the rest {date}|]
[can i|could i|can we] [pay|set it up|do it|make a payment] {date}
[this is|it's|now is|that's] [not a good time|a bad time|not a great time] [sorry|right now|]
[i'm|i am] [busy|driving|at work|in a meeting|at the doctor|eating dinner|on another call] [right now|]
[call|can you call|please call|try] [me|] [back|back later|again later|back tomorrow|later|another time|after {time}|back {date}]
[i dispute|i want to dispute|i'm disputing|i don't recognize|i don't agree with] [this|this debt|that|the debt|that charge|the amount]
[that's|this is] not [my debt|my account|my bill|mine|my name|what i owe]
[i don't|i do not] owe [you|them|anybody|] [anything|any money|that much|that]
i already [paid|paid that|paid this|paid it off|sent a check|sent it|made a payment|took care of that] [last week|last month|{date}|]
[are you|is this|am i talking to] a [robot|machine|computer|recording|real person|human|person]
[who is|who's] [this|calling|speaking] [please|again|]
[what|which] company [is this|are you with|are you calling from]
[what is|what's] this [about|regarding|for|call about]
[why are you calling|how did you get my number|what do you want|what's this about]
[how much|what] [do i owe|is it|is the balance|is my balance|is the total|is due] [exactly|now|]
[i have|i've got|i talked to|i'm represented by|talk to|call] [a lawyer|an attorney|my lawyer|my attorney]
[i filed for|i'm in|i declared] bankruptcy [last year|in {month}|]
[goodbye|bye|bye bye|good bye|thank you goodbye|thanks bye|okay bye|have a nice day|have a good one|talk to you later]
[can you|could you|please|] [repeat that|say that again|repeat|speak up|speak slower|say it again|slow down] [please|]
[i didn't|i did not|i couldn't|i can't] [hear|understand|catch|get] [you|that|what you said]
[what|pardon|pardon me|excuse me|sorry|i'm sorry|what was that|what did you say|huh|come again]
[hold on|wait|one moment|just a second|just a minute|hang on|give me a second|one second] [please|]
[send|can you send|please send|i want] [me|] [a letter|something in writing|an email|proof|the paperwork]
[i want|i'd like|can i get|can we set up] a payment [plan|arrangement] [please|]
[what are|what're] my options [here|]
[leave me alone|i'm not paying|i refuse to pay|i won't pay|i'm not interested|forget it|no way|that's too much]
[i'll|i will] [think about it|call you back|let you know|see what i can do|try]
[he|she] [died|passed away|moved|doesn't live here|is in the hospital|is at work] [last year|anymore|]
[is there|isn't there] a [fee|discount|late fee|charge] [for that|]
[do you take|can i use|can i pay by|can i pay with] [a credit card|a debit card|a check|cash|my card|my bank account]
"""

BOOKING = """
[i have|there's|there is|i've got|we have] [a leak|a water leak|a gas leak|a gas smell|no heat|no hot water|a clogged drain|a broken pipe|a burst pipe|water everywhere|a roof leak|a clogged toilet] [in the kitchen|in the basement|in the bathroom|upstairs|in my house|in the garage|]
my [heater|furnace|air conditioner|water heater|toilet|sink|roof|boiler|thermostat|garbage disposal|shower|dishwasher] [is leaking|is broken|won't turn on|isn't working|stopped working|is making noise|needs to be fixed|is not working]
[i smell|we smell|it smells like] gas [in the house|in the kitchen|outside|]
[i need|i'd like|can i make|can i get|i want] [an appointment|a plumber|an electrician|a technician|somebody to come out|an estimate|a quote] [{date}|as soon as possible|today|please|{time}|]
[can|could] [somebody|someone|you] come [out|by|over] {date} [{time}|]
[is|do you have] anything [available|open] {date}
[i need to|can i|i want to|i have to] [cancel|reschedule|change|move|confirm] my appointment [to {date}|for {date}|]
{date} {time} [works|is fine|is good|is better|would be great|]
[my address is|it's|i live at|i'm at|we're at] {address}
{address}
[is it|no it's not|it's|yes it's] an emergency
[how soon|when|what time] can you [get here|come|be here|send someone]
[how much|what] [does it cost|do you charge|will it cost|would that be] [for a visit|for that|]
[the water|it] is [coming through the ceiling|all over the floor|off|leaking everywhere|not urgent]
[everyone is|we're all|i'm] [out of the house|outside|okay|safe]
[i'm|i am] a [new|returning] customer
[i own|i rent] the [house|home|building|apartment|property]
[the best|my] [number|phone number|callback number] is {digits}
[yes|] [morning|afternoon|evening] [is better|works|would be good|]
"""

CAMPAIGN = """
[i'm|we're|i am] not interested [thank you|thanks|sorry|]
[yes|yeah|sure|] [i'm|we're|i am] interested [in that|]
[tell me|can you tell me] [more|more about it|how it works|about the price]
[what are you|are you] selling [something|]
[how does it work|how long does it take|what's the price|how much is it|is it free|what's the catch]
[i already have|we already use|i have] [one|a provider|a service|someone for that|something like that]
[it's|that's] too [expensive|much|long|complicated]
[send me|can you email me|email me|text me] [some|the|more] [information|details]
[i'm|i am] [the owner|the manager|not the right person|just a tenant]
[let me|i have to|i need to] [think about it|talk to my wife|talk to my husband|check my calendar|ask my boss]
[maybe|perhaps] [later|next month|next year|another time]
[put me|take me] [on the|off the|on your] [list|schedule|calendar]
[book|schedule|set up] [a meeting|a demo|a call|a visit] [for {date}|{date}|{time}|]
"""

RENOVATION = """
[i want to|we want to|i'd like to|we're thinking about] [remodel|renovate|redo|repaint|replace] [the kitchen|our kitchen|the bathroom|my basement|the deck|the floor|the windows|the roof|the whole house]
[transfer me to|let me talk to|switch to|go back to|connect me with] [alice|bob|{first}|the other one|your partner]
[my|our] budget is [about|around|] {sum}
[do i|would i|will i] need a permit [for that|for the deck|for the wall|]
[how long will|how long does] [it|that|the kitchen|the bathroom] take
[what about|is it okay to] [the wall|the wiring|the plumbing|removing a wall|adding a window]
[the|my] [kitchen|bathroom|room|house|basement] is [about|] {cardinal} square feet
[the house|it] was built in nineteen {tens}
[which|what] [tiles|paint|material|countertops|flooring] [should i use|do you recommend|is cheaper|is best]
[i want|we want|i'd like] [new cabinets|a bigger shower|hardwood floors|granite countertops|new windows|a new roof]
[can you|could you] [give me|send me] [an estimate|a quote|a price|a checklist]
"""

STATUS = """
[what's|what is|can you tell me|i want to know|i'm calling about] the status of my [application|payment|order|claim|account|request|refund]
[where is|where's|when will i get|i'm waiting for|i haven't received|i didn't get] my [payment|refund|check|card|money|paycheck|order|package]
[has|did] my [application|payment|request|claim] [been approved|gone through|go through|been received|been processed]
[i applied|i sent it|i submitted it|i signed up] {date}
[when|how soon|what day] will [i|it] [be paid|get paid|hear back|be approved|be ready|arrive|start]
my [application|order|account|case|reference|confirmation|claim] number is {digits}
[i need to|i want to|can i|how do i] [update|change|verify|check] my [address|phone number|email|bank account|account|information|password|name|card]
[i can't|i'm not able to] [log in|sign in|get into my account|find my order|reset my password|upload my document]
[why was|why is] my [application|payment|account|card] [rejected|denied|late|delayed|declined|pending|locked]
[i was|i got] [charged twice|overcharged|locked out|rejected|disconnected|told to call]
my [email|email address] is {first} at {last} dot com
[is there|are there] [any update|anything else|a problem|any jobs|any news] [with my account|on that|]
[what documents|what information] do you need [from me|]
[that's all|that's it|nothing else|no that's all|that's everything] [thank you|thanks|for now|]
[thank you|thanks|thank you very much|thanks a lot|great thank you|thank you so much] [for your help|bye|]
"""

NAMES = """
this is {first} [speaking|{last}|] | [this is|yes this is|yeah this is|hi this is|hello this is] {first} [{last}|]
[{first}|{first} {last}] [speaking|here|] | [my name is|my name's|i'm|i am|it's|the name is] {first} [{last}|]
[no|sorry|] {first} [is not here|isn't here|is not home|doesn't live here|isn't available|is at work] [right now|anymore|]
[there's no|there is no|i don't know any] {first} [here|{last}|at this number]
[no|] [this is|i'm|i am] [not|his wife|her husband|his brother|her sister|his mother|her roommate] {first}
[may i|can i|could i] [speak to|talk to] {first} [{last}|] [please|]
[the last name is|last name] {last} | [first name|the first name is] {first}
{first} {last}
"""

GENERAL = """
[the|a|my|his|her|our|this|that] {noun} [is|was|will be|can be|looks|seems|feels] [very|really|too|so|not|quite|] {adjective} [today|now|again|this morning|]
[i|you|we|they] [need|want|have|found|bought|lost|saw|made|left|took|brought|like|heard about] [the|a|my|your|some|another|this] {noun} [{date}|in the {noun}|with the {noun}|for my {noun}|]
[he|she|it|the {noun}] [went|came|walked|drove|moved|ran|fell|turned] [to|into|from|over|behind|around|past] the {noun} [{date}|]
[do|did|can|could|would|will|should] [you|i|we|they] [see|find|get|fix|bring|open|check|change|call about|use|keep|move] the {noun} [{date}|please|]
[when|where|how|why] [is|was|are|were] [the|your|my|their] {noun} [so {adjective}|going|coming from|]
[there is|there was|there are] [a|no|another|some|{cardinal}] {noun} [in|on|under|near|behind|by] the {noun}
[i think|i know|i believe|they said|he said|she told me] [the|my|our] {noun} [is|was] {adjective}
[if|because|but|and|so] [the|my|your] {noun} [is|was|gets] {adjective} [we|i|you|they] [can|should|will|won't|can't] [go|come|call|wait|pay|stop|start|leave]
"""

NOUNS = """
house car door window table chair phone letter bank card check bill account money number name
street road city town water food paper book office desk computer kitchen bathroom garden tree dog
cat child mother father brother sister friend doctor teacher driver worker manager company store
market school hospital church station airport train bus plane boat bridge river mountain lake
weather morning evening night week month year hour minute problem question answer idea reason story
picture music movie game team ball coat shirt shoe hat box bag key lock wall floor roof pipe heater
light lamp radio television camera clock map ticket package order price cost tax job work boss
meeting plan project report message email address form contract loan debt payment insurance claim
policy lawyer judge court police fire storm rain snow wind summer winter birthday holiday party
dinner lunch breakfast coffee tea bread milk apple orange chicken fish meat sugar salt kitchen
garage basement yard fence engine tire wheel battery machine tool hammer brush paint board stone
glass metal wood cloth dress ring watch gift toy bird horse cow sheep farm field hill beach island
""".split()

ADJECTIVES = """
good bad big small new old long short hot cold warm cool high low fast slow early late easy hard
clean dirty dry wet empty full cheap expensive free busy quiet loud bright dark heavy light strong
weak young happy sad angry tired sick healthy hungry thirsty ready broken open closed safe
dangerous right wrong true false rich poor nice kind rude funny strange simple different important
possible serious beautiful ugly thick thin wide narrow deep sweet sour fresh rough smooth soft
""".split()

FILLERS = "um|uh|well|so|okay|oh|yeah|yes|no|hello|hi|hmm|look|listen|actually|you know".split("|")
TAILS = "please|thank you|thanks|okay|sorry|right|if that's okay|you know|i think".split("|")

# What a Request Tracker needs for the agent, and users for the tests. Read by rt-setup-database.
@Users = (
    { Name => 'agent', EmailAddress => 'agent@example.com', Privileged => 1 },
    { Name => 'clerk', EmailAddress => 'clerk@example.com', Privileged => 1 },
    { Name => 'maria.lopez@example.com', EmailAddress => 'maria.lopez@example.com',
      RealName => 'Maria Lopez', Privileged => 0 },
);
@CustomFields = (
    { Name => 'melvin_status', Type => 'FreeformSingle', LookupType => 'RT::Queue-RT::Ticket',
      Queue => ['General'] },
);
my @rights = qw(SeeQueue ShowTicket ShowTicketComments CreateTicket CommentOnTicket ReplyToTicket
                ModifyTicket SeeCustomField ModifyCustomField);
@ACL = (
    (map { my $user = $_; map { { UserId => $user, Right => $_, Queue => 'General' } } @rights }
     qw(agent clerk)),
    (map { { GroupDomain => 'SystemInternal', GroupType => 'Everyone', Right => $_,
             Queue => 'General' } } qw(CreateTicket ReplyToTicket)),
    { GroupDomain => 'RT::Queue-Role', GroupType => 'Requestor', Right => 'ShowTicket',
      Queue => 'General' },
);
@Final = (sub {
    for my $name (qw(agent clerk maria.lopez@example.com)) {
        my $user = RT::User->new(RT->SystemUser);
        $user->Load($name);
        my $token = RT::AuthToken->new(RT->SystemUser);
        my ($ok, $why, $text) = $token->Create(Owner => $user->id, Description => 'test');
        die $why unless $ok;
        open my $file, '>', "$ENV{RT_TEST_TOKENS}/$name" or die $!;
        print $file $text;
        close $file;
    }
});
1;

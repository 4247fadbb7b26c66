"""What Candor cannot do, one row each; the page shows all of them, and tests name a row by its key."""

from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

Words = str | Promise


@dataclass(frozen=True)
class Limit:
    """`defence` says what softens the limit; None: nothing does, it is "not defended". `advice` is optional."""

    key: str
    title: Words
    what: Words
    defence: Words | None = None
    advice: Words | None = None


LIMITS = [
    Limit(
        "operator-serves-the-code",
        _("Whoever runs the site chooses the code"),
        _(
            "The disguise happens in the respondent’s browser, but the site delivers the program that does it. "
            "An operator could deliver another program, for one person or for all, that sends what was really said."
        ),
        advice=_("Answer only where you trust the operator to run Candor as it is."),
    ),
    Limit(
        "waiting-in-the-inbox",
        _("A record that waits can be tied to its sender by the operator"),
        _(
            "Between sending and sealing, a record lies in the inbox. During that time the operator, who also "
            "sees requests arrive, can link an invitation, a submission key and a record."
        ),
        _(
            "Candor stores no clock time, no address and no browser name with a record, and keeps invitations, "
            "keys and records in tables that have nothing in common but the survey. Records are shuffled and "
            "sealed in batches of at least a hundred, unless a reviewer allowed fewer. From then on nothing in the "
            "database says who sent what. Even a linked record is disguised "
            "where its sender chose that."
        ),
    ),
    Limit(
        "logs-and-backups",
        _("Logs and backups may hold what was deleted"),
        _(
            "A database writes what it does into a log before doing it, and whoever runs it makes backups. "
            "Both may still hold records from before they were sealed."
        ),
        _(
            "The embedded database is told to overwrite what it deletes. Backups and a database server’s own logs "
            "are not in Candor’s hands."
        ),
        _("Keep backups for days, not for years, and let a server’s logs expire."),
    ),
    Limit(
        "invitation-list",
        _("Who made the list of invitations learns who took part"),
        _(
            "An invitation is spent when a record is sent. Whoever keeps the list of invitations and the people "
            "they went to can find out which of them were used, but not what was answered with them."
        ),
        advice=_("Let somebody hand out the invitations who does not keep the list."),
    ),
    Limit(
        "answering-twice",
        _("Answering again weakens the protection"),
        _(
            "Each disguised answer gives away a little. Whoever answers the same questions twice, in one survey or "
            "in two, gives away more: the bounds gamma of the single times multiply."
        ),
        _(
            "One submission counts once, however often it is sent, and so does one invitation; a page draws its "
            "coins a single time. A survey without invitations cannot tell that a person has come back, and no "
            "survey knows of another."
        ),
    ),
    Limit(
        "choosing-disguise",
        _("Choosing to be disguised may itself say something"),
        _(
            "Where people may choose between answering openly and disguised, those with something to hide may "
            "prefer the disguise. The guarantee bounds what disguised answers add to what is known of those who "
            "chose disguise; it does not bound what the choice says."
        ),
        advice=_("A survey can leave the choice out and disguise everybody."),
    ),
    Limit(
        "plain-answers",
        _("Plain answers can single a person out"),
        _(
            "Age, place of work and profession are not disguised, and together they may fit one person only. "
            "If that person answered openly, the sensitive answers are then known as theirs."
        ),
        _(
            "In files of records that leave Candor, the plain answers of everyone who answered openly are "
            "withheld. Inside, only the disguise protects, and for open answers there is none."
        ),
        _("Ask as few plain questions as you need, with few and broad choices."),
    ),
    Limit(
        "forged-records",
        _("Forged records can surround a real one"),
        _(
            "Somebody who sends ninety-nine forged records knows which record in a batch of a hundred is not "
            "theirs. The batch then hides nobody."
        ),
        _(
            "Invitations stop this, since each counts once. Without them anybody may send records; what then still "
            "protects the one real record is its disguise."
        ),
    ),
    Limit(
        "network-observers",
        _("The network shows that somebody answered"),
        _(
            "Who watches the line between a respondent and the site sees when a page was loaded and when a record "
            "was sent, and so that somebody took part."
        ),
        _(
            "What was sent is encrypted wherever the site is reached through https. All records of one survey "
            "are equally long, and no request is made while the questions are being answered, so neither length "
            "nor timing of the single questions tells anything."
        ),
    ),
    Limit(
        "receipts",
        _("A receipt proves nothing"),
        _(
            "A receipt shows a record that is possible for the survey. It does not show that this record was "
            "sent, and whoever knows the survey could have made it up."
        ),
    ),
    Limit(
        "coercion",
        _("Open answers can be coerced"),
        _(
            "Somebody who stands beside a respondent can demand that they choose to answer openly, "
            "and then knows what was said."
        ),
        advice=_("A survey can leave the choice out and disguise everybody."),
    ),
    Limit(
        "who-took-part",
        _("Intervals do not cover who took part or who lied"),
        _(
            "The interval beside a number says how far chance may have moved it: chance in who answered, and "
            "chance in the disguise. If certain people stay away, or answer untruthfully in spite of the disguise, "
            "the number is off and no interval shows it."
        ),
        advice=_("Say in every report who was asked and how many of them answered."),
    ),
]

"""The stated limits: tasks and attacks that Candor cannot handle. The page shows all, and tests name each by
its key.
"""

from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

Words = str | Promise


@dataclass(frozen=True)
class StatedLimit:
    """A limit of the product.

    `defence`: a measure that softens the limit; None: there is none, and the page says "not defended".
    """

    key: str
    title: Words
    what: Words
    defence: Words | None = None
    advice: Words | None = None


LIMITS = [
    StatedLimit(
        "operator-serves-the-code",
        _("The operator chooses the code"),
        _(
            "The disguise happens in the respondent’s browser, but the site delivers the program that does it. "
            "An operator could deliver another program, for one person or for all, that sends what was really said."
        ),
        advice=_("Answer only where you trust the operator to run Candor as it is."),
    ),
    StatedLimit(
        "waiting-in-the-inbox",
        _("A record that waits can be tied to its sender by the operator"),
        _(
            "Between sending and sealing, a record lies in the inbox. During that time the "
            "operator, who also sees requests arrive, can connect an invitation link, a submission "
            "key and a record. So can anyone who has a copy of a PostgreSQL database or of a database’s log: both show "
            "what was written together."
        ),
        _(
            "Candor stores no clock time, no network address and no browser name with a record. It "
            "keeps invitation links, keys and records in tables that share only the survey. A copy of "
            "the embedded database’s file, made while its log is empty, does not show which of them came together; "
            "its log does, and so does a copy that was made with the log. "
            "Records are shuffled and sealed in batches of at least 100, unless a reviewer "
            "approved fewer. From then on nothing in the database says who sent what. Even a "
            "linked record is disguised where its sender chose that."
        ),
    ),
    StatedLimit(
        "logs-and-backups",
        _("Logs and backups may hold what was deleted"),
        _(
            "A database writes what it does into a log before doing it, and its operator makes "
            "backups. Both may hold records from before they were sealed, and answers that were "
            "deleted since. Two backups together show which invitation links were used in between."
        ),
        _(
            "The embedded database is told to overwrite what it deletes. A backup made with Candor "
            "holds nothing that was deleted before. Restoring it deletes again what was deleted "
            "since, and invitation links used up to the last sealing stay used. To know these, Candor keeps digests of "
            "them, without their order or time. What an embedded database of more than 256 MB moved within its file, "
            "and the keys in a table of a database server of more than 32 MB, are overwritten only when their space is "
            "used again. Candor has no control over a database server’s own logs, or over copies made in other ways."
        ),
        _("Keep backups for days, not for years, and let a server’s logs expire."),
    ),
    StatedLimit(
        "statement-logs",
        _("A database server can log what passes through it"),
        _(
            "A PostgreSQL server can be told to log every statement with its values. Its log then "
            "holds a record next to the hashes of its key and its invitation link, with the time."
        ),
        _(
            "Candor has the values left out for its own connections. Where its account may not do that, it does "
            "not start in production while statements are logged, and names the line that an administrator has to "
            "run. Extensions and proxies that Candor does not know can still log values."
        ),
        _("Run that line once, also where nothing is logged yet."),
    ),
    StatedLimit(
        "completion-code",
        _("A panel that pays learns who finished, and when"),
        _(
            "A survey can give a completion code or link at the end. People who hand it in show that they"
            " finished, and the people who pay them see when. A code can be passed on, and anybody who sends"
            " any answers gets it."
        ),
        _(
            "The code or link is the same for everybody and contains nothing about a person or an answer, unless it"
            " takes the panel’s own ID. It comes only after a record is stored."
            " Whatever follows a ? in a survey link is dropped and kept"
            " nowhere."
        ),
        _("Let a panel pay everybody at the same time, and never ask for its IDs in the survey."),
    ),
    StatedLimit(
        "panel-parameter",
        _("A panel’s ID ties taking part to a person"),
        _(
            "A completion link can take the ID by which a panel knows a person. Then the panel learns who took part, "
            "and when; whoever also notes when records arrive could guess from the times which record is whose."
        ),
        _(
            "The ID comes in the fragment of the survey’s address and is filled in by the respondent’s browser: it is"
            " in no request to this site, in no record and in no log. The tab forgets it at the end. The start page"
            " says so before the first question."
        ),
        _("Use one code for everybody where the panel allows it."),
    ),
    StatedLimit(
        "inside-another-site",
        _("A site that shows a survey inside its own sees who takes part, and when"),
        _(
            "A survey can be shown inside sites that its researchers name. Such a site sees when the page loads, how "
            "large it is, when its visitor is in it and when the page ends. It knows its visitors, so it learns who "
            "took part. It could also lay something over the page, so that people press what they do not see, or show "
            "a copy of it."
        ),
        _(
            "Off unless a researcher lists sites, and browsers refuse all others. The list is fixed at opening, and "
            "the page and the study sheet say it. The page tells the site around it nothing: no message, no height, "
            "no step in the history. Agree and Send ask for a second look: the browser must have shown the button "
            "for 0.8 seconds with nothing over it, or, where a browser cannot say that, it is held for half a second."
            " The page without JavaScript cannot check this. Nothing is kept on the device there, and surveys with "
            "a lasting code or an exchanged invitation open on a page of their own."
        ),
        _("Open the survey on its own page: a button in it does so."),
    ),
    StatedLimit(
        "invitation-list",
        _("Anyone who keeps the list of invitation links can learn who took part"),
        _(
            "An invitation link works once. Anyone who keeps the list of invitation links, and of "
            "the people who got them, can try a link. A valid record is refused if the link was "
            "used before, and is stored if it was not. So the person who keeps the list learns who "
            "took part, but not what was answered."
        ),
        _(
            "Only a valid record tells whether a link was used, and sending one uses the link up: its owner is then "
            "told that the link no longer works. Every other request gets the same answer for used, unused and "
            "invented links, so nobody can watch a list to see when each person answers."
        ),
        _("Let someone hand out the invitation links who does not keep the list."),
    ),
    StatedLimit(
        "exchange-times",
        _("Times and network addresses can tie an exchanged invitation to a record"),
        _(
            "A device exchanges its invitation link, and later sends its record. An operator who watches requests "
            "arrive, or who changes the program to note them, sees both times and both network addresses. Where few "
            "people take part at a time, or from one address each, that can be enough."
        ),
        _(
            "Between the two lie the questions and a wait that the device draws after the last answer: an hour on "
            "average, half a minute to two minutes where the browser cannot keep the record, and none for people who "
            "choose to send it at once. Where 2, 10 or 30 people an hour take part, times alone tie at most about 43, "
            "10 or 3 of 100 exchanges to their records after the long wait, and 91, 62 or 31 after the short one. "
            "Candor stores neither times nor addresses, and nothing in the token or in a row ties the two together. "
            "The log of an embedded database, and a copy made with it, can show in which order exchanges and records "
            "came."
        ),
        _(
            "Invite everybody at once, so that many take part in the same hour. The study sheet of a survey shows its "
            "own figure."
        ),
    ),
    StatedLimit(
        "signing-time",
        _("Signing a token is not constant in time"),
        _(
            "The server signs with ordinary numbers of Python, whose operations take a time that depends on their "
            "values. Somebody who measures very many exchanges could learn something of the key, and with the whole "
            "key make tokens without an invitation. No key ties a record to an invitation."
        ),
        _(
            "Each signing is hidden by a fresh random factor (blinding, RFC 9474), only an unused invitation link gets "
            "one, each survey has its own key, and the key is destroyed when the survey is finished. Backups from "
            "before hold it until they are deleted."
        ),
    ),
    StatedLimit(
        "field-uploads",
        _("A field device’s uploads show how many people it asked"),
        _(
            "The server learns which network address sends how many records of field devices together, and so can "
            "whoever watches the network."
        ),
        _(
            "A device waits until five records can be sent, unless its keeper sends fewer, sends them in a random "
            "order, and says how many people it asked in fives only. Nothing that is stored names a device beside a "
            "record."
        ),
    ),
    StatedLimit(
        "stolen-field-device",
        _("A stolen field device can send invented answers"),
        _(
            "Whoever holds a device that was set up, or a copy of what is on it, can send as many records as it "
            "fetched tokens and has not used. Withdrawing the device does not take these back, since nobody knows "
            "which they are."
        ),
        _(
            "Each device gets a number of people that it may ask, and the page that withdraws it says how many "
            "records it can still send. No record comes in without a token, and each token counts once."
        ),
    ),
    StatedLimit(
        "field-device-in-use",
        _("Whoever controls a field device while somebody answers sees the answers"),
        _(
            "A person who watches, a screen recorder, a keyboard app or a dump of the memory gets what is touched or "
            "typed. Who controls this server controls a device that goes online: a browser fetches the service worker "
            "anew by itself."
        ),
        _(
            "Each person gets a fresh document that ends with the interview. Nothing of it is stored but the sealed "
            "record, and all files but the service worker are renewed only when the keeper asks for it."
        ),
        _("Use devices that nobody else manages, without apps for keyboards or screens."),
    ),
    StatedLimit(
        "field-device-traces",
        _("A field device keeps when its app was opened"),
        _(
            "The browser keeps when the app was opened and, now and then, that it was touched. A disk may keep older "
            "blocks, with sealed records and spent tokens in an order. The PIN keeps respondents off the keeper’s page "
            "and protects nothing from somebody who has the device."
        ),
        _(
            "The app’s file has its full size from the beginning and a random place for each record, without a moment. "
            "An interview leaves no entry in the browser’s history."
        ),
        _("Encrypt the device, send often, forget the device at the end and delete the browser’s history."),
    ),
    StatedLimit(
        "field-keys-in-backups",
        _("Backups keep the keys of field devices"),
        _(
            "A backup that was made before a survey is finished holds the key that opens the records of its field "
            "devices. With it and a device, somebody reads the disguised records that wait there."
        ),
        _(
            "The keys are deleted when the survey is finished, and from backups when these lapse. A record that was "
            "opened is disguised where its sender chose that."
        ),
    ),
    StatedLimit(
        "invented-people",
        _("One person can be invited among invented ones"),
        _(
            "A researcher can fill an invitation list with email addresses of their own and invite one real person "
            "among them. Candor cannot tell whose addresses they are."
        ),
        _(
            "Invitations are sent to at least as many different mailboxes as a batch holds answers. The server counts "
            "the whole list before it sends the first email; addresses that differ only in upper and lower case or "
            "after a plus sign count once. Even a singled-out record is disguised where its sender chose that."
        ),
    ),
    StatedLimit(
        "answering-twice",
        _("Answering again weakens the protection"),
        _(
            "Each disguised answer gives away a little. People who answer the same questions twice, "
            "in one survey or in two, give away"
            " more: the bounds gamma of the single times multiply. The same holds for a number"
            " that is given twice, or a place that is given again after a move."
        ),
        _(
            "One submission counts once, however often it is sent, and so does one invitation "
            "link. A page that is reloaded asks the same questions. A survey without invitation "
            "links cannot tell that a person has come back, and no survey knows of another. A survey that "
            "asks an earlier one again says on its start page what both together can reveal."
        ),
    ),
    StatedLimit(
        "a-disguise-that-lasts",
        _("A disguise that lasts holds for answers that stay the same"),
        _(
            "A study of several rounds can disguise an answer once for good, by a code that the person keeps. Its"
            " bound is for all rounds in which the answers stay the same. Each round with other answers can "
            "multiply it, and somebody who recognises the records of a person, by plain answers, by the address "
            "or by which questions were drawn, might notice the change. Answers that change for good or waver are"
            " not bounded. Neither are two people with one code; a lost code, a second one or one of another "
            "study is a new start and multiplies the bound by itself."
        ),
        _(
            "The page says the figures before the first question, and refuses a code that was mistyped. The code alone "
            "says nothing about any answer; it is never sent, stored or put into the history. A later round in which a "
            "section with a lasting disguise has other questions, answers or chances is refused."
        ),
        _("Where answers change often, ask each person in one round only."),
    ),
    StatedLimit(
        "choosing-disguise",
        _("Choosing to be disguised may itself say something"),
        _(
            "Where people may choose whether their answers are disguised, people with something to "
            "hide may prefer the disguise. The guarantee limits what disguised answers add to what "
            "is known of the people who chose disguise. It does not limit what the choice itself "
            "tells."
        ),
        advice=_("A survey can leave the choice out and disguise everybody."),
    ),
    StatedLimit(
        "asked-directly",
        _("People who are asked directly have no protection but the batch"),
        _(
            "A survey can let a draw in each device decide that some people are asked directly. Their answers are "
            "sent as they give them, and the record shows that they were asked directly. No gamma holds for them."
        ),
        _(
            "The device says so before the first question, nothing has been sent by then, and people can leave. A "
            "batch holds at least 20 such records on average. Only once the survey is finished are their answers used: "
            "to compare the two arms, in models that have the arm as a covariate, and in record files."
        ),
        _("Leave if you do not want to answer without disguise."),
    ),
    StatedLimit(
        "leaving-and-coming-back",
        _("Leaving and coming back makes a new random draw"),
        _(
            "People who are asked directly can leave, come back and be asked in disguise. Then the arms differ in "
            "the people who are in them, and a difference between the arms may be theirs."
        ),
        _(
            "A reload keeps the arm. The report tests whether more people left one arm than the other, and says "
            "between which bounds each difference could lie. The test shows it only if many people leave."
        ),
    ),
    StatedLimit(
        "known-secrets",
        _("Anyone who knows the secret undoes a crosswise answer"),
        _(
            "In a crosswise question a secret of the respondent, such as a birthday, takes the place of the random "
            "draw. Someone who knows the secret can work out the sensitive answer from the record."
        ),
        _(
            "The start page says so, with the share of people for whom the secret is true and where that share is "
            "from. The same secret cannot be used for two questions of a survey."
        ),
        _("Choose a secret that nobody who could get hold of the records knows."),
    ),
    StatedLimit(
        "without-javascript",
        _("Without JavaScript the server makes the submission key"),
        _(
            "A survey of crosswise questions can be answered on a page without JavaScript. There the server makes "
            "the key of the record and could remember for which visit it did."
        ),
        _(
            "The key is stored nowhere before it comes back with the answers. That page exists only where nothing has "
            "to be disguised by the device, and it says who makes the key."
        ),
        _("Turn on JavaScript, and your own device makes the key."),
    ),
    StatedLimit(
        "random-answers",
        _("Random answers and lies look alike"),
        _(
            "A person who answers at random, who lies, or who does not do what the device says cannot be told from "
            "the others by the disguised records, whatever the mechanism."
        ),
        _(
            "A question whose true share is known, a control item, shows how many answer at random, and reports "
            "show shares corrected for them. Carelessness that favours one choice is not corrected, and lies are not."
        ),
    ),
    StatedLimit(
        "plain-answers",
        _("Answers that are not disguised can single a person out"),
        _(
            "Age, place of work and profession are not disguised, and together they may describe "
            "one person only. If that person answered without"
            " disguise, the sensitive answers are then known as theirs."
        ),
        _(
            "In record files that leave Candor, the answers to questions outside the sensitive "
            "sections are withheld for everyone who answered without disguise. Inside, only the "
            "disguise protects, and answers that are not disguised have none."
        ),
        _("Ask as few questions without disguise as you need, with few and broad choices."),
    ),
    StatedLimit(
        "full-quotas",
        _("A full quota says what later participants did not answer"),
        _(
            "A survey can have quotas on answers that are not disguised. Once one is told as full, nobody who "
            "opens the survey later and takes part has these answers, for certain, unless the person gave other "
            "answers than are true. Through an open link, anyone can fill quotas with records of their own: then "
            "most people are turned away, and of those who take part the answers are known. Several surveys of "
            "the same people each tell something of them."
        ),
        _(
            "A quota counts answers that are not disguised only, and is told as full with random noise: by itself it "
            "tells little of each person who is counted. All quotas of a survey count at most two sets of questions."
        ),
        _("Invite people where quotas are used, and count no answer that anyone may want to hide."),
    ),
    StatedLimit(
        "uploaded-tables",
        _("An uploaded table is known to the operator until it is deleted"),
        _(
            "A table that someone uploads to anonymise it holds people’s data as they are. Until "
            "it is deleted, the operator can read it in the database."
        ),
        _(
            "On the pages only the person who uploaded it sees it; reviewers see the anonymised table alone. It is "
            "kept in the database and in no backup, and deleted with the decision on its release, at the latest after "
            "seven days. Where no worker runs on that day, nobody gets it any more, and the next worker deletes it."
        ),
        _("Leave out the columns that the release does not need before you upload a table."),
    ),
    StatedLimit(
        "few-people",
        _("Ten people hide one another less where some of them are known"),
        _(
            "No true answer is tied to fewer than ten people, and no count of one to nine people with given answers "
            "follows from what readers get. But people who have a record file see the answers that are not disguised "
            "of each disguised record. People who know these answers of all participants of a group can work out how "
            "many of them chose no disguise. Where all ten of a group say the same, everybody knows what each of "
            "them said: of ten people with an answer of one in ten this happens one time in three. People who tell "
            "others which questions they got, and that they chose no disguise, may be found among fewer. And "
            "somebody who sends nine open answers in place of others reads the tenth."
        ),
        _(
            "Open answers are used once, when the survey is finished, in groups of at least ten who are shown the same "
            "questions. Candor tries to work out small groups itself before anything is published."
        ),
        _("Use invitation links where people can choose no disguise: then nobody answers nine times."),
    ),
    StatedLimit(
        "releases",
        _("A release cannot be taken back"),
        _(
            "An anonymised table that was downloaded stays with the people who have it, even if "
            "the release is withdrawn or the survey deleted. It protects from what its "
            "specification names. Neither k-anonymity nor l-diversity protects from people who "
            "know more about a person than the quasi-identifiers, or who have other tables of the "
            "same people."
        ),
        _(
            "Each table is read back and checked before a reviewer sees it. It is compared with "
            "everything that readers were told of the survey: earlier releases, reports, models. "
            "Where they tell too much together, it does not leave. Whether a table could be made is told to "
            "reviewers alone. Others can conclude it from how long it took, and from what a report withholds "
            "that is published meanwhile; so at most three tables wait, and a reviewer decides on each. "
            "Tables that left elsewhere, and the same people in another survey, are not known to Candor."
        ),
        _("Release one table of a survey, when its last answers are sealed."),
    ),
    StatedLimit(
        "outside-the-regions",
        _("A place outside the sensitive regions is not disguised"),
        _(
            "A question about a place protects people inside the regions that the researcher marked as sensitive. "
            "People outside send their true place nearly always, and anyone who reads such a"
            " record knows that it is true. A record can also rule out that a person is"
            " inside."
        ),
        _(
            "The page says how often this happens before the question is answered. In everything "
            "that is published, places outside are treated as answers that are not disguised: "
            "small counts are left out."
        ),
        _("Mark all places as sensitive that anyone may want to hide, and some that nobody does."),
    ),
    StatedLimit(
        "forged-records",
        _("Forged records can surround a real one"),
        _(
            "A person who sends 99 forged records knows which record in a batch of 100 is not"
            " theirs. The batch then hides nobody."
        ),
        _(
            "Invitations stop this, since each counts once. Without them anyone may send records; "
            "what then still protects the one real record is its disguise."
        ),
    ),
    StatedLimit(
        "floods",
        _("A flood can delay honest answers, and hide among them"),
        _(
            "Anyone can send many records through an open link, or hold many connections open. No address is stored, "
            "so no sender can be shut out. While a flood lasts, honest answers wait in their browsers. Records that "
            "are forged by the rules of the disguise cannot be told from honest ones."
        ),
        _(
            "An open link takes about as many records a minute as the operator or the survey allows; in its first "
            "minute, or after a restart, it may take several times as many. The others are sent again by themselves. "
            "Connections on which nothing moves are closed. A proxy that is set up as the operations guide says keeps "
            "slow senders away from the site and lets no network take the places of the others. Without it, whoever "
            "holds many connections, or asks for many pages at once, can keep everybody else waiting. Copies "
            "that no disguise would make are found in every batch: the owner is warned and can pause the survey, and "
            "reports say how many there are at least. They also say about how many people were asked to wait, and how "
            "many of them did not come back; but that is what devices say, and a flood can make it wrong."
        ),
        _("Use invitation links where you can. Put a proxy that buffers requests in front of the site."),
    ),
    StatedLimit(
        "network-observers",
        _("The network shows that a person answered"),
        _(
            "Anyone who watches the line between a respondent and the site sees when a page"
            " was loaded and when a record was sent, and so that this person took part."
        ),
        _(
            "What was sent is encrypted wherever the site is reached through https. All records of one survey "
            "are equally long, and no request is made while the questions are being answered, so neither length "
            "nor timing of the single questions tells anything."
        ),
    ),
    StatedLimit(
        "shared-device",
        _("The browser keeps traces on the respondent’s device"),
        _(
            "A browser writes the addresses it visits, and what a page stores for its tab, to the "
            "disk, and does not erase all of it when the tab is closed. Others who use the device "
            "can find that the survey was opened, which questions were drawn, the invitation link, "
            "and the record that was sent. A person who has to wait can ask the device to keep the record and send it "
            "later; where invitations are exchanged for tokens, it always does. The record then stays, with its "
            "invitation, until it was sent or is deleted, and on the disk perhaps for longer, and shows that somebody "
            "took part. The operating system may also write memory to the disk."
        ),
        _(
            "The true answers behind the disguise, and its random draws, stay in the memory of the "
            "page and are stored nowhere. What is stored is which questions were drawn, in which order, and whether "
            "they are asked directly, the invitation link or what it was exchanged for, the ID of a panel, and, from "
            "sending on, the record as it was sent. The browser is told to keep no copy of the page."
        ),
        _("On a shared device, answer in a private window, and close it afterwards."),
    ),
    StatedLimit(
        "receipts",
        _("A receipt proves nothing"),
        _(
            "A receipt shows a record that is possible for the survey. It does not show that this "
            "record was sent, and anyone who knows the survey could"
            " have made it up."
        ),
    ),
    StatedLimit(
        "coercion",
        _("People can be pressured to answer without disguise"),
        _(
            "A person beside a respondent can demand that they answer without disguise, and"
            " then knows what was answered."
        ),
        advice=_("A survey can leave the choice out and disguise everybody."),
    ),
    StatedLimit(
        "who-took-part",
        _("Intervals do not cover who took part or who lied"),
        _(
            "The interval beside a number shows how far random error may have moved it: which "
            "people answered, and the random draws of the disguise. If some groups of people stay "
            "away, or answer untruthfully in spite of the disguise, the number is off and no "
            "interval shows it."
        ),
        advice=_("Say in every report who was asked and how many of them answered."),
    ),
]

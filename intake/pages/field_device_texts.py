"""Texts for the keeper of a field device, by the name that the app's scripts use."""

from django.utils.translation import gettext_lazy as _

KEEPER_WORDS = {
    "app_title": _("Field device"),
    # --- set-up
    "welcome_title": _("Set up this device"),
    "welcome_what": _(
        "Many people can answer one survey on this device, one after the other, without a network."
    ),
    "welcome_locked": _(
        "Their answers are locked for the server, and disguised where the survey does so. A device that is"
        " lost or searched tells nobody’s answer."
    ),
    "welcome_once": _(
        "Setting it up needs the network for a few minutes. The link works for one device, once."
    ),
    "welcome_limit": _(
        "Whoever watches or records the screen while somebody answers sees the answers. A PIN keeps"
        " respondents off your page, and nothing more."
    ),
    "code": _("Set-up code"),
    "code_about": _("The 22 characters after the # of the set-up link."),
    "code_wrong": _("A set-up code has 22 letters, digits, - or _."),
    "set_up": _("Set up"),
    "install_title": _("Install it first"),
    "install_about": _(
        "On this device only an app of the home screen keeps what it stores. Tap Share, then Add to Home"
        " Screen. Open the app there and type the code of your set-up link, which is what follows the #."
    ),
    "install_code": _(
        "On this device only an app of the home screen keeps what it stores. Tap Share, then Add to Home"
        " Screen. Open the app there and type your set-up code."
    ),
    "stopped_title": _("The set-up has stopped"),
    "ticket_used": _("Another device has used this link. Ask for a new one."),
    "ticket_unknown": _(
        "The server does not know this code. It may have been withdrawn. Ask for a new link."
    ),
    "survey_closed": _("The survey is not open, so no device can be set up for it."),
    "other_survey": _(
        "The server has another survey at this address now. What this device holds stays as it is."
    ),
    "uncontrolled": _("The browser has not started the app’s worker. Close this page and open it again."),
    "no_answer": _("The server does not answer. Try again once there is a network."),
    "no_room": _("This device has no room left. Delete something on it, then try again."),
    "asked_to_wait": _("The server asks to wait. What waits is sent again by itself."),
    "keep": _("Keep"),
    "interrupted": _(
        "Something did not arrive whole. What is here stays, and the set-up goes on from there."
    ),
    "try_again": _("Try again"),
    "pin_title": _("Your PIN for this device"),
    "pin_about": _(
        "It opens your page. Write it down where respondents do not see it. It is shown once more."
    ),
    "pin_noted": _("I have written it down"),
    "fetching_title": _("Getting ready"),
    "fetching_files": _("Fetching the pages …"),
    "fetching_tokens": _("Permission to send: %(done)s of %(people)s people"),
    "fetching_about": _("Keep this page open. If it is interrupted, it goes on where it was."),
    "ready_title": _("Ready"),
    "ready_about": _("Works without a network from now on. %(people)s people can be asked."),
    "pin_again": _("Once more, your PIN:"),
    "not_persistent": _(
        "The browser does not promise to keep what is stored: it could delete it when the device is full. Put"
        " the app on the home screen from the browser’s menu, and send often."
    ),
    "to_hand_over": _("To the first page"),
    "unsupported_title": _("This browser cannot be a field device"),
    "unsupported_about": _(
        "It lacks what is listed here. Use Chrome 108, Safari 16.4 or Firefox 114, or a newer one."
    ),
    "unsupported_file": _(
        "It does not let a page hold a file of its own, as in a private window. Use a normal window of Chrome"
        " 108, Safari 16.4 or Firefox 114, or a newer one."
    ),
    "elsewhere_title": _("Open in another tab"),
    "elsewhere_about": _(
        "This survey is open in another tab or window. Go on there, or close it and reload."
    ),
    # --- the first page
    "keeper": _("For the keeper"),
    "exhausted": _("Everybody whom this device may ask has been asked."),
    "practice_on": _("Practice is on: nothing is kept. Switch it off on the keeper’s page."),
    # --- the keeper's page
    "pin": _("PIN"),
    "pin_wrong": _("That is not the PIN."),
    "pin_pause": _("Too many wrong PINs. Try again in %(seconds)s seconds."),
    "pin_forgotten": _("PIN forgotten"),
    "pin_forgotten_about": _("Nobody can find a PIN again. All that is left is to forget the device."),
    "continue": _("Continue"),
    "waiting": _("Records that wait to be sent"),
    "asked": _("People asked"),
    "more": _("People who can still be asked"),
    "few": _("fewer than 5"),
    "about": _("about %(count)s"),
    "version": _("Version"),
    "send": _("Send"),
    "send_nothing": _("Nothing waits."),
    "send_about": _(
        "Records are sent by themselves once the network answers and at least five wait. If you send now, the"
        " server learns that these few came together, when, and from which address."
    ),
    "send_now": _("Send now"),
    "sending": _(
        "Sending … Records go one by one, in random order, up to 3 seconds apart, so this takes a while."
    ),
    "sent": _("Sent: %(count)s"),
    "kept_closed": _("Refused, since the survey had closed: %(count)s"),
    "kept_spent": _(
        "Refused, since their permission was used before, perhaps by a copy of this device: %(count)s"
    ),
    "kept_refused": _("Refused, since they are no records of this survey: %(count)s"),
    "delete": _("Delete"),
    "deleted": _("Deleted."),
    "settings": _("Settings"),
    "practice": _("Practice"),
    "practice_about": _("Interviews as they are, but nothing is kept."),
    "awake": _("Screen stays on"),
    "awake_about": _("Uses more of the battery."),
    "large": _("Large text"),
    "large_about": _("For all who answer on this device."),
    "renew": _("Renew"),
    "renew_about": _("Fetches the app again if the server has a newer one. The survey stays the same."),
    "renew_waits": _("Possible once nothing waits."),
    "renew_same": _("This is the newest version."),
    "renewed": _("Renewed. It is used after the app was closed and opened again."),
    "forget": _("Forget this device"),
    "forget_none": _("No record waits. Everything of this survey is overwritten and removed."),
    "forget_lost": _(
        "Records that wait and will be lost: %(count)s. Everything of this survey is overwritten and removed."
    ),
    "forget_label": _("To go on, type the name of this device: %(label)s"),
    "forget_label_wrong": _("That is another name."),
    "forgotten": _("This device is forgotten"),
    "forgotten_about": _(
        "Now delete the browser’s history of this site too: it keeps when the app was opened. Remove the app"
        " from the home screen."
    ),
}

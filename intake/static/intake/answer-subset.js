/** The respondent's page of a survey that asks for choices sent as sets. */

import "./sets.js";
import "./answer.js";

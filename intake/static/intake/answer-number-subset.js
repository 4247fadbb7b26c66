/** The respondent's page of a survey that asks for numbers and for choices sent as sets. */

import "./numbers.js";
import "./sets.js";
import "./answer.js";

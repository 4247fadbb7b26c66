/** The respondent's page of a survey that asks for numbers. */

import "./numbers.js";
import "./answer.js";

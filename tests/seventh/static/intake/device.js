/**
 * The program that disguises, composed of its modules: the same for every survey. The modules import nothing, and each is
 * served as it is published; the start page lists them with their hash. This file adds only the places of the modules of
 * codes, of invitations, of the check of understanding, of frames, of tools around the page and of field devices, which come
 * in files of their own.
 */

import { below } from "../privacy/coins.js";
import { compose } from "../privacy/disguise.js";
import * as draws from "../privacy/draws.js";
import { crosswise } from "../privacy/kinds/crosswise.js";
import { forced } from "../privacy/kinds/forced.js";
import { grouped } from "../privacy/kinds/grouped.js";
import { number } from "../privacy/kinds/number.js";
import { place } from "../privacy/kinds/place.js";
import { plain } from "../privacy/kinds/plain.js";
import { subset } from "../privacy/kinds/subset.js";

export * from "../privacy/coins.js";
export * from "../privacy/disguise.js";
export * from "../privacy/envelope.js";
export * from "../privacy/kinds/crosswise.js";
export * from "../privacy/permanent.js";

/** @type {Intake.Lasting | null} */
let lasting = null;

/** @param {Intake.Lasting} module  which only the page of a survey whose disguise lasts loads, before its script */
export const addLasting = (module) => void (lasting = module);

export const lastingModule = () => /** @type {Intake.Lasting} */ (lasting);

/** @type {Intake.Exchange | null} */
let exchange = null;

/** @param {Intake.Exchange} module  which only the page of a survey whose invitations are exchanged loads, before its script */
export const addExchange = (module) => void (exchange = module);

export const exchangeModule = () => /** @type {Intake.Exchange} */ (exchange);

/** @type {Intake.Understanding | null} */
let understanding = null;

/** @param {Intake.Understanding} module  which only the page of a survey that checks understanding loads, likewise */
export const addUnderstanding = (module) => void (understanding = module);

export const understandingModule = () => /** @type {Intake.Understanding} */ (understanding);

/** @type {Intake.Framed | null} */
let framed = null;

/** @param {Intake.Framed} module  which only the page of a survey that other sites may show loads, and adds in a frame */
export const addFramed = (module) => void (framed = module);

/** Null where the page stands on its own. */
export const framedModule = () => framed;

/** @type {Intake.Handing | null} */
let handing = null;

/** @param {Intake.Handing} module  which only the page of a survey inside a tool loads, before its script */
export const addHanding = (module) => void (handing = module);

/** Null where this site gets the record. */
export const handingModule = () => handing;

/** @type {Intake.Field | null} */
let field = null;

/** @param {Intake.Field} module  which only the page in the frame of a field device loads, before its script */
export const addField = (module) => void (field = module);

/** Null but on a field device. */
export const fieldModule = () => field;

compose({ plain, "unrelated-question": grouped, number, place, crosswise, subset, forced }, draws, below);

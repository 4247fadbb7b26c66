/** Blinds messages, which takes a slow phone a second for four: a dedicated worker under /a/<slug>/field/. */

import { hide, keyOf } from "../blinding.js";
import { serve } from "./calls.js";

serve({ hide: async (/** @type {string} */ n) => hide(await keyOf(n)) });

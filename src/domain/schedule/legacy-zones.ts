/**
 * The names that the runtime (ICU) accepts as time zones although the IANA database has no such
 * zone or link, in upper case. Each has the IANA zones that it probably means.
 *
 * ICU reads BST as Bangladesh and AST as Alaska. So an abbreviation would silently move a window.
 *
 * @see https://github.com/eggert/tz/blob/main/backward
 */
const legacyZones: ReadonlyMap<string, readonly string[]> = new Map([
  ["ACT", ["Australia/Darwin", "America/Rio_Branco"]],
  ["AET", ["Australia/Sydney"]],
  ["AGT", ["America/Argentina/Buenos_Aires"]],
  ["ART", ["America/Argentina/Buenos_Aires", "Africa/Cairo"]],
  ["AST", ["America/Halifax", "Asia/Riyadh"]],
  ["BET", ["America/Sao_Paulo"]],
  ["BST", ["Europe/London"]],
  ["CAT", ["Africa/Maputo"]],
  ["CNT", ["America/St_Johns"]],
  ["CST", ["America/Chicago", "Asia/Shanghai"]],
  ["CTT", ["Asia/Shanghai"]],
  ["EAT", ["Africa/Nairobi"]],
  ["ECT", ["Europe/Paris", "America/Guayaquil"]],
  ["IET", ["America/Indiana/Indianapolis"]],
  ["IST", ["Asia/Kolkata", "Europe/Dublin", "Asia/Jerusalem"]],
  ["JST", ["Asia/Tokyo"]],
  ["MIT", ["Pacific/Apia", "Pacific/Marquesas"]],
  ["NET", ["Asia/Yerevan"]],
  ["NST", ["America/St_Johns", "Pacific/Auckland"]],
  ["PLT", ["Asia/Karachi"]],
  ["PNT", ["America/Phoenix"]],
  ["PRT", ["America/Puerto_Rico"]],
  ["PST", ["America/Los_Angeles"]],
  ["SST", ["Pacific/Pago_Pago", "Pacific/Guadalcanal"]],
  ["VST", ["Asia/Ho_Chi_Minh"]],
  ["CANADA/EAST-SASKATCHEWAN", ["America/Regina"]],
  ["US/PACIFIC-NEW", ["America/Los_Angeles"]],
  ["SYSTEMV/AST4", ["America/Puerto_Rico"]],
  ["SYSTEMV/AST4ADT", ["America/Halifax"]],
  ["SYSTEMV/CST6", ["America/Regina"]],
  ["SYSTEMV/CST6CDT", ["America/Chicago"]],
  ["SYSTEMV/EST5", ["America/Panama"]],
  ["SYSTEMV/EST5EDT", ["America/New_York"]],
  ["SYSTEMV/HST10", ["Pacific/Honolulu"]],
  ["SYSTEMV/MST7", ["America/Phoenix"]],
  ["SYSTEMV/MST7MDT", ["America/Denver"]],
  ["SYSTEMV/PST8", ["Pacific/Pitcairn"]],
  ["SYSTEMV/PST8PDT", ["America/Los_Angeles"]],
  ["SYSTEMV/YST9", ["Pacific/Gambier"]],
  ["SYSTEMV/YST9YDT", ["America/Anchorage"]],
]);

/**
 * Returns the IANA zones that a legacy name probably means, the most probable first. Case does not
 * matter. Returns undefined for all other texts.
 */
export function legacyZone(text: string): readonly string[] | undefined {
  return legacyZones.get(text.toUpperCase());
}

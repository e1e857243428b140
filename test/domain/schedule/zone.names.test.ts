import { describe, expect, it } from "vitest";
import { parseWindow } from "#domain/schedule/window-text";
import { zoneName } from "#domain/schedule/zone";

const messageOf = (timeZone: string): string | undefined => {
  const parsed = parseWindow({ window: "22:00-02:00", timeZone });
  return parsed.ok ? undefined : parsed.problem.message;
};

/** All names that Node 24 accepts as a zone although the IANA database lacks them. */
const legacy = {
  ACT: "Australia/Darwin or America/Rio_Branco",
  AET: "Australia/Sydney",
  AGT: "America/Argentina/Buenos_Aires",
  ART: "America/Argentina/Buenos_Aires or Africa/Cairo",
  AST: "America/Halifax or Asia/Riyadh",
  BET: "America/Sao_Paulo",
  BST: "Europe/London",
  CAT: "Africa/Maputo",
  CNT: "America/St_Johns",
  CST: "America/Chicago or Asia/Shanghai",
  CTT: "Asia/Shanghai",
  EAT: "Africa/Nairobi",
  ECT: "Europe/Paris or America/Guayaquil",
  IET: "America/Indiana/Indianapolis",
  IST: "Asia/Kolkata or Europe/Dublin or Asia/Jerusalem",
  JST: "Asia/Tokyo",
  MIT: "Pacific/Apia or Pacific/Marquesas",
  NET: "Asia/Yerevan",
  NST: "America/St_Johns or Pacific/Auckland",
  PLT: "Asia/Karachi",
  PNT: "America/Phoenix",
  PRT: "America/Puerto_Rico",
  PST: "America/Los_Angeles",
  SST: "Pacific/Pago_Pago or Pacific/Guadalcanal",
  VST: "Asia/Ho_Chi_Minh",
  "Canada/East-Saskatchewan": "America/Regina",
  "US/Pacific-New": "America/Los_Angeles",
  "SystemV/AST4": "America/Puerto_Rico",
  "SystemV/AST4ADT": "America/Halifax",
  "SystemV/CST6": "America/Regina",
  "SystemV/CST6CDT": "America/Chicago",
  "SystemV/EST5": "America/Panama",
  "SystemV/EST5EDT": "America/New_York",
  "SystemV/HST10": "Pacific/Honolulu",
  "SystemV/MST7": "America/Phoenix",
  "SystemV/MST7MDT": "America/Denver",
  "SystemV/PST8": "Pacific/Pitcairn",
  "SystemV/PST8PDT": "America/Los_Angeles",
  "SystemV/YST9": "Pacific/Gambier",
  "SystemV/YST9YDT": "America/Anchorage",
} as const;

describe("a name that is not in the IANA database", () => {
  it.each(Object.entries(legacy))("%s is no time zone, and the message proposes %s", (written, meant) => {
    expect(messageOf(written)).toBe(`"${written}": not a time zone (expected an IANA name); did you mean ${meant}?`);
  });

  it.each(["bst", "Bst", "systemv/pst8pdt", "us/pacific-new"])("%s is no time zone in any case", (written) => {
    expect(zoneName(written)).toBeUndefined();
  });

  it.each(["CEST", "EDT", "PDT", "UT", "GMT+1", "UTC+1", "UTC+01:00", "Etc/Unknown", "Factory"])(
    "%s is no time zone, and the message names the expected form",
    (written) => {
      expect(messageOf(written)).toBe(
        `"${written}": not a time zone (expected an IANA name, for example Europe/Berlin)`,
      );
    },
  );

  it("is proposed by no message", () => {
    const proposed = Object.values(legacy).flatMap((meant) => meant.split(" or "));

    expect(proposed.map(zoneName)).toEqual(proposed);
  });
});

describe("a name of the IANA database", () => {
  it("is a time zone although it is short", () => {
    const letters = Array.from("ABCDEFGHIJKLMNOPQRSTUVWXYZ");
    const two = letters.flatMap((first) => letters.map((second) => first + second));
    const three = two.flatMap((start) => letters.map((third) => start + third));

    expect([...letters, ...two, ...three].filter((name) => zoneName(name) !== undefined)).toEqual(
      "GB NZ CET EET EST GMT HST MET MST PRC ROC ROK UCT UTC WET".split(" "),
    );
  });

  it.each(
    [
      "EST5EDT CST6CDT MST7MDT PST8PDT GMT+0 GMT-0 GMT0 Etc/GMT+1 Etc/GMT-14 Etc/UTC Etc/Zulu Cuba Egypt",
      "Eire GB-Eire Greenwich Hongkong Iceland Iran Israel Jamaica Japan Kwajalein Libya NZ-CHAT Navajo",
      "Poland Portugal Singapore Turkey Universal W-SU Zulu US/Pacific Asia/Calcutta Australia/ACT",
    ].flatMap((names) => names.split(" ")),
  )("%s is a time zone", (written) => {
    expect(zoneName(written)).toBe(written);
  });
});

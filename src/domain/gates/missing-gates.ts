import { oneOf, readList } from "../annotations/setting-values.ts";
import { type GateSetting, gateSetting } from "./gate-setting.ts";

/** The severities of a scan's findings, the highest last. */
const readSeverity = oneOf(["none", "low", "medium", "high", "critical"]);

/**
 * The settings of gates that this version lacks, in the order in which users see them. These
 * settings hold updates, because Lookout can't apply the settings yet.
 */
export const settingsOfMissingGates: readonly GateSetting<unknown>[] = [
  /** The highest severity of a scan's findings that an image may have. `none`: no finding. */
  gateSetting({
    key: "max-severity",
    isSupported: false,
    parse: readSeverity,
    label: "scan",
    toJson: (severity) => severity,
    toText: (severity) => `findings up to ${severity}`,
  }),
  /** The allowed signers. One of them must have signed the image. */
  gateSetting({
    key: "signed-by",
    isSupported: false,
    parse: readList("signers, separated by commas, such as release@example.com"),
    label: "signature",
    toJson: (signers) => signers,
    toText: (signers) => `by ${signers.join(" or ")}`,
  }),
];

import packageDescription from "../../package.json" with { type: "json" };

/** The version of this Lookout, as its package says. */
export const lookoutVersion: string = packageDescription.version;

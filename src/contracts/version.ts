import packageDescription from "../../package.json" with { type: "json" };

/** The version in Lookout's package.json. */
export const lookoutVersion: string = packageDescription.version;

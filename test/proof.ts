/** Whether the long run is asked for, with `npm run proof`. A usual run tries less of the same. */
export const isProof = process.env["PROOF"] === "all";

/** The form of a label's value, which the names of tiers and of groups have. */
export const tierNamePattern = /^[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;

/** The form of {@link tierNamePattern}, for people. */
export const tierNameForm = "a name of letters, digits, dashes, dots and underscores, of at most 63 characters";

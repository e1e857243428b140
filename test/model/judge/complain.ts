/** Hears which rule was broken, and how. */
export type Complain = (rule: string, what: string) => void;

/** Reports a broken rule with its details. */
export type Complain = (rule: string, what: string) => void;

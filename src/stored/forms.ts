import * as z from "zod/mini";
import { problem, type Result } from "#domain/shared/result";
import type { Forms, MovedKind, MovedValues } from "#ports/forms";
import { freezeKind } from "./freezes.ts";
import { type KindForms, newestRead, readForm } from "./kind.ts";
import { ledgerKind } from "./ledger.ts";
import { quarantineKind } from "./quarantine.ts";
import { recordKind } from "./records.ts";
import { registrationKind } from "./registrations.ts";
import { repositoryKind } from "./repositories.ts";
import { list } from "./shape.ts";
import { sightingKind } from "./sightings.ts";
import { listingKind, moveKind } from "./tag-history.ts";
import { voteKind } from "./votes.ts";

const kinds: { readonly [Name in MovedKind]: KindForms<MovedValues[Name]> } = {
  freeze: freezeKind,
  quarantined: quarantineKind,
  record: recordKind,
  vote: voteKind,
  sighting: sightingKind,
  repository: repositoryKind,
  move: moveKind,
  // JSON has no bytes, so an export has the marks as numbers.
  listing: { form: listingKind.form, shape: list(z.uint32()) },
  registration: registrationKind,
  history: ledgerKind,
};

/** The forms of the kinds that an export moves. */
export const storedForms: Forms = {
  written: (kind) => kinds[kind].form,
  read<Name extends MovedKind>(name: Name, form: number, value: unknown): Result<MovedValues[Name], string> {
    const kind: KindForms<MovedValues[Name]> = kinds[name];
    const newest = newestRead(kind);
    if (form > newest) return problem(`it has the form ${form} of a newer Lookout, and this one reads ${newest}`);
    return readForm(kind, form, value);
  },
};

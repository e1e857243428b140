import { isRegistryFact, type RegistryFact } from "#domain/registry/outage";
import { wordsOf } from "#domain/notify/words";
import type { AnyFact, Fact } from "#domain/update/events";
import { type EpochMs, epochMs, toIso } from "#domain/shared/time";
import type { FactView, RegistryFactView } from "../api/process.ts";

/** Returns a fact in the form of the API, with its words and with instants in RFC 3339. */
export function factView(given: Fact): FactView {
  const { at, detectedAt, reasons, ...fact } = given;
  return {
    ...fact,
    ...wordsOf(given),
    at: toIso(at),
    ...(detectedAt === undefined ? {} : { detectedAt: toIso(detectedAt) }),
    reasons: reasons.map(({ until, ...gate }) => (until === undefined ? gate : { ...gate, until: toIso(until) })),
  };
}

/** Returns a fact about a registry in the form of the API. */
export function registryFactView(given: RegistryFact): RegistryFactView {
  return { ...given, ...wordsOf(given), since: toIso(given.since), at: toIso(given.at) };
}

/** Returns any fact of the stream in the form of the API. */
export function streamedView(fact: Fact | RegistryFact): FactView | RegistryFactView {
  return isRegistryFact(fact) ? registryFactView(fact) : factView(fact);
}

/** Returns any fact that channels tell, with its words and with instants in RFC 3339. */
export function anyFactView(fact: AnyFact): object {
  if (fact.name === "PushDisputed") return { ...fact, ...wordsOf(fact), at: toIso(fact.at) };
  return streamedView(fact);
}

/** Returns the fact about a registry that the form of the API describes. */
export function registryFactOf(given: RegistryFactView): RegistryFact {
  const { since, at, severity: _, outcome: _o, text: _t, ...view } = given;
  return { ...view, since: instantOf(since), at: instantOf(at) };
}

/**
 * Returns the fact that the form of the API describes. This function is the inverse of
 * {@link factView}.
 */
export function factOf(given: FactView): Fact {
  const { at, detectedAt, reasons, severity: _, outcome: _o, text: _t, ...view } = given;
  return {
    ...view,
    at: instantOf(at),
    ...(detectedAt === undefined ? {} : { detectedAt: instantOf(detectedAt) }),
    reasons: reasons.map(({ until, ...gate }) => (until === undefined ? gate : { ...gate, until: instantOf(until) })),
  };
}

function instantOf(text: string): EpochMs {
  return epochMs(Date.parse(text));
}

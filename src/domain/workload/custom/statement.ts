import { isObject, valueAt } from "../../shared/json.ts";
import type { FieldPath } from "../image-places.ts";

/** A value of a field. */
export type Scalar = string | number | boolean;

/** A statement about an object. */
export type Statement =
  | {
      readonly kind: "condition";
      readonly type: string;
      readonly status: string;
      /** Absent: any reason. */
      readonly reason?: string;
    }
  | { readonly kind: "value"; readonly path: FieldPath; readonly values: readonly Scalar[] }
  | { readonly kind: "same"; readonly path: FieldPath; readonly other: FieldPath };

/** Returns whether a statement holds for an object. */
export function holds(statement: Statement, object: unknown): boolean {
  switch (statement.kind) {
    case "condition":
      return conditionsOf(object).some(
        ({ type, status, reason }) =>
          type === statement.type &&
          status === statement.status &&
          (statement.reason === undefined || reason === statement.reason),
      );
    case "value":
      return statement.values.includes(valueAt(object, statement.path) as Scalar);
    case "same":
      return isSame(valueAt(object, statement.path), valueAt(object, statement.other));
  }
}

/**
 * Returns whether two fields are equal. Operators omit a number that is 0, so a missing number is 0.
 * Two missing fields prove nothing.
 */
function isSame(one: unknown, other: unknown): boolean {
  if (typeof one === "number" || typeof other === "number") return (one ?? 0) === (other ?? 0);
  return one !== undefined && one === other;
}

/** Returns whether a statement is about the spec alone, so that a user's change makes it hold. */
export function isOfSpec(statement: Statement): boolean {
  return statement.kind === "value" && statement.path[0] === "spec";
}

/** Returns a statement that holds, for messages: `status.phase is Degraded`. */
export function statementText(statement: Statement, object: unknown): string {
  switch (statement.kind) {
    case "condition": {
      const found = conditionsOf(object).find(({ type }) => type === statement.type);
      const reason = typeof found?.reason === "string" ? ` (${found.reason})` : "";
      return `the condition ${statement.type} is ${statement.status}${reason}`;
    }
    case "value":
      return `${statement.path.join(".")} is ${String(valueAt(object, statement.path))}`;
    case "same":
      return `${statement.path.join(".")} equals ${statement.other.join(".")}`;
  }
}

interface WrittenCondition {
  readonly type?: unknown;
  readonly status?: unknown;
  readonly reason?: unknown;
}

function conditionsOf(object: unknown): readonly WrittenCondition[] {
  const conditions = valueAt(object, ["status", "conditions"]);
  return Array.isArray(conditions) ? conditions.filter(isObject) : [];
}

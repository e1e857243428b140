import type { Reason } from "#domain/shared/reasons";
import type { NotificationRefusal, RequestRefusal } from "#domain/shared/refusals";

/**
 * The HTTP status for each reason why Lookout refuses a request. Lookout refuses no request for
 * another reason.
 */
export const refusalStatuses = {
  "bad-request": 400,
  "bad-name": 400,
  "bad-scope": 400,
  "bad-end": 400,
  "bad-line": 400,
  "needs-a-person": 400,
  "no-token": 401,
  "no-caller": 403,
  "foreign-page": 403,
  "no-right": 403,
  "token-limited": 403,
  "not-found": 404,
  "from-configuration": 409,
  "registry-not-allowed": 409,
  "cluster-not-registered": 409,
  "token-exists": 409,
  "still-observes": 409,
  "not-empty": 409,
  "version-refused": 409,
  "not-releasable": 409,
  "update-unknown": 409,
  "update-superseded": 409,
  "update-decided": 409,
  "approved-already": 409,
  "approval-expired": 409,
  "approval-not-needed": 409,
  "changed-meanwhile": 409,
  "key-used": 409,
  "request-too-large": 413,
  misdirected: 421,
  "not-here": 501,
  "newer-record": 503,
  "try-again": 503,
  malformed: 400,
  "no-registry": 400,
  "broken-off": 400,
  unauthorized: 401,
  "unknown-receiver": 404,
  "too-slow": 408,
  "too-large": 413,
  busy: 429,
} as const satisfies Readonly<Record<RequestRefusal, number> & Partial<Record<Reason | NotificationRefusal, number>>>;

/** A reason why Lookout refuses a request. */
export type RefusalCode = keyof typeof refusalStatuses;

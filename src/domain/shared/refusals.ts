interface RefusalRow {
  readonly sentence: string;
  readonly remedy: string;
}

/**
 * All reasons why Lookout rejects a notification, or a part of it. Each remedy names who can act.
 */
export const notificationRefusals = {
  "unknown-receiver": {
    sentence: "No receiver has the name at the end of the address.",
    remedy: "The sender's administrator corrects the address, or the owner of lookout.yaml adds a receiver.",
  },
  unauthorized: {
    sentence: "The proof of the sender is missing or wrong, or the receiver has no secret.",
    remedy:
      "The sender's administrator sets the secret that lookout webhook url NAME describes. The owner of lookout.yaml names the secret's place.",
  },
  malformed: {
    sentence: "The body does not have the form of the receiver's kind.",
    remedy: "The owner of lookout.yaml corrects the receiver's kind. To try a body: lookout webhook parse.",
  },
  "no-registry": {
    sentence: "The notification names no host of a registry, and the receiver has no registry.",
    remedy: "The owner of lookout.yaml sets registry of the receiver to the host in the images of the workloads.",
  },
  "too-large": {
    sentence: "The body is over one mebibyte.",
    remedy: "The sender's administrator sends fewer tags in one notification. The next sweep finds the push.",
  },
  "too-slow": {
    sentence: "The body did not arrive in time.",
    remedy: "The network's administrator checks the network. The next sweep finds the push.",
  },
  "broken-off": {
    sentence: "The body is shorter than announced.",
    remedy: "The network's administrator checks the network. The next sweep finds the push.",
  },
  busy: {
    sentence: "Too many notifications arrive at the same time, or too many pushes wait for their evaluation.",
    remedy:
      "The sender retries after Retry-After. If the refusals continue, Lookout's administrator gives Lookout more CPU.",
  },
  "too-many": {
    sentence: "The notification has more repositories or tags than Lookout accepts in one notification.",
    remedy: "The sender's administrator makes the notifications smaller. The next sweep finds the other pushes.",
  },
} as const satisfies Readonly<Record<string, RefusalRow>>;

/** One of {@link notificationRefusals}. */
export type NotificationRefusal = keyof typeof notificationRefusals;

/** All reasons why the API refuses a request. Each remedy names the person who can act. */
export const requestRefusals = {
  "bad-request": {
    sentence: "The request does not have the form that its path needs.",
    remedy: "The caller corrects the named part. GET /v1/openapi.json describes every request.",
  },
  "bad-name": {
    sentence: "A name in the request is invalid.",
    remedy: "The caller corrects the name.",
  },
  "bad-scope": {
    sentence: "The scope of the request is invalid.",
    remedy: "The caller corrects the scope: lookout freeze --help and lookout release --help list the forms.",
  },
  "bad-end": {
    sentence: "The end of the freeze is not in the future.",
    remedy: "The caller corrects the end: lookout freeze --help lists the forms.",
  },
  "bad-line": {
    sentence: "A line of the export can't be imported, so nothing was imported.",
    remedy: "The caller exports again, with the version of Lookout that imports: lookout export.",
  },
  "request-too-large": {
    sentence: "The body of the request is too large.",
    remedy: "The caller sends less in one request.",
  },
  "no-token": {
    sentence: "The token of the API is missing, wrong, revoked or expired.",
    remedy:
      "The caller sends a personal token, or the token of the state folder: Authorization: Bearer TOKEN. An owner makes tokens: lookout token create.",
  },
  "no-caller": {
    sentence: "IAM did not authenticate the caller.",
    remedy: "The administrator of the AWS account deploys the stack again, so that its routes have the IAM authorizer.",
  },
  "foreign-page": {
    sentence: "A page of another site made the request.",
    remedy: "The caller uses lookout or the server's own address.",
  },
  misdirected: {
    sentence: "The request names another host than this server.",
    remedy: "The caller uses one of the named addresses. The owner of lookout.yaml can change listen.",
  },
  "no-right": {
    sentence: "The caller may not decide about this workload.",
    remedy: "The owner of lookout.yaml can give this right, in people and approvers.",
  },
  "token-limited": {
    sentence: "The role or the scope of the caller's token does not cover this request.",
    remedy: "An owner of this Lookout can make a token that covers it: lookout token create.",
  },
  "not-found": {
    sentence: "Lookout has no object with this name.",
    remedy: "The caller corrects the name: lookout status lists the workloads.",
  },
  "from-configuration": {
    sentence: "lookout.yaml defines this entry, so the API can't change it.",
    remedy: "The owner of lookout.yaml changes the entry, and restarts or redeploys Lookout.",
  },
  "cluster-not-registered": {
    sentence: "The cluster was not registered.",
    remedy: "The administrator of the cluster removes the named cause, or registers the cluster under another name.",
  },
  "still-observes": {
    sentence: "Lookout still observes this part, so it releases no update of it.",
    remedy: "The owner of lookout.yaml removes mode: observe first, or starts Lookout without --observe.",
  },
  "token-exists": {
    sentence: "Another token has this name.",
    remedy: "An owner chooses another name, or first revokes the token: lookout token revoke NAME.",
  },
  "not-empty": {
    sentence: "This Lookout has workloads of another installation.",
    remedy: "The caller imports into a Lookout without workloads.",
  },
  "version-refused": {
    sentence: "The workload can't get this version.",
    remedy: "The caller removes the named cause, or names another version.",
  },
  "not-releasable": {
    sentence: "No person can let the update pass what holds it.",
    remedy: "The caller ends the named cause: lookout explain WORKLOAD lists the gates.",
  },
  "update-unknown": {
    sentence: "The workload never had this update.",
    remedy: "List the updates that wait for an approval now: lookout approvals.",
  },
  "update-superseded": {
    sentence: "Another update has replaced this update.",
    remedy: "List the updates that wait for an approval now: lookout approvals.",
  },
  "update-decided": {
    sentence: "The update has all its approvals, is released, or has ended.",
    remedy: "Nothing to do.",
  },
  "approved-already": {
    sentence: "This person has approved the update.",
    remedy: "Another person approves the update: lookout approvals lists the people.",
  },
  "approval-not-needed": {
    sentence: "This update needs no approval.",
    remedy: "Nothing to do.",
  },
  "key-used": {
    sentence: "The Idempotency-Key belongs to another vote.",
    remedy: "The caller sends each vote with a key of its own.",
  },
  "changed-meanwhile": {
    sentence: "The workload has changed since the caller read it.",
    remedy: "List the updates that wait for an approval now: lookout approvals.",
  },
  "not-here": {
    sentence: "This Lookout does not offer the requested operation.",
    remedy: "The caller follows the detail of the response.",
  },
  "needs-a-person": {
    sentence: "A retry fails until a person removes the cause.",
    remedy: "The administrator of Lookout removes the named cause.",
  },
  "newer-record": {
    sentence: "A newer Lookout wrote the record.",
    remedy: "The administrator of Lookout finishes the upgrade: all processes must run the newest version.",
  },
  "try-again": {
    sentence: "The request failed.",
    remedy: "The caller retries. If the failure continues, the administrator of Lookout finds the cause in the log.",
  },
} as const satisfies Readonly<Record<string, RefusalRow>>;

/** One of {@link requestRefusals}. */
export type RequestRefusal = keyof typeof requestRefusals;

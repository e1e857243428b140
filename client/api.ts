/** The types of the API. `npm run generate` writes this file. */
export interface paths {
  "/v1/workloads": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** lists tracked workloads and clusters */
    get: operations["listWorkloads"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v1/workloads/{cluster}/{namespace}/{kind}/{name}": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** returns one workload */
    get: operations["readWorkload"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v1/workloads/{cluster}/{namespace}/{kind}/{name}/explanation": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** explains gates, selected tags and rejected tags */
    get: operations["explainWorkload"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v1/workloads/{cluster}/{namespace}/{kind}/{name}/decisions": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** lists a workload's decisions, the newest first */
    get: operations["readDecisions"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v1/workloads/{cluster}/{namespace}/{kind}/{name}/updates/{seq}": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** returns one update, from the last 1000 decisions */
    get: operations["readUpdate"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v1/workloads/{cluster}/{namespace}/{kind}/{name}/unblock": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** ends the hold after a revert, and unblocks digests */
    post: operations["unblockWorkload"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v1/updates": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** lists open updates and each workload's last finished update */
    get: operations["listUpdates"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v1/clusters": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** lists clusters and their problems */
    get: operations["listClusters"];
    put?: never;
    /** registers an EKS cluster that grants access */
    post: operations["addCluster"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v1/clusters/{cluster}": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** returns one cluster */
    get: operations["readCluster"];
    put?: never;
    post?: never;
    /** removes a registered cluster, and untracks its workloads */
    delete: operations["removeCluster"];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v1/clusters/{cluster}/check": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** checks Lookout's access to a cluster, and names missing rights */
    post: operations["checkCluster"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v1/clusters/{cluster}/sync": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** syncs a cluster now */
    post: operations["syncCluster"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v1/repositories": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** lists repositories of workloads, and findings of sweeps */
    get: operations["listRepositories"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v1/sweep": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** looks for missed pushes in one repository or all */
    post: operations["sweepNow"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v1/registries": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** lists registries with their limits, pauses, breakers and credential sources */
    get: operations["listRegistries"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v1/registries/{registry}/check": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** requests tags from an allowed registry, and lists problems */
    post: operations["checkRegistry"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v1/registries/{registry}/resume": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** ends the pauses of a registry and of its repositories, and checks them now */
    post: operations["resumeRegistry"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v1/channels": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** lists channels, what they tell, and how they do */
    get: operations["listChannels"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v1/channels/{channel}/test": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** sends a harmless message to a channel */
    post: operations["testChannel"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v1/channels/{channel}/explanation": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** explains what a channel does with a fact */
    get: operations["explainChannel"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v1/tiers": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** shows how the tiers of groups stand with their newest images */
    get: operations["listTiers"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v1/quarantine": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** lists quarantined digests */
    get: operations["listQuarantine"];
    put?: never;
    /** puts a digest in quarantine */
    post: operations["putInQuarantine"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v1/quarantine/{digest}": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    post?: never;
    /** takes a digest out of quarantine */
    delete: operations["liftQuarantine"];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v1/freezes": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** lists freezes, and patches that may still land */
    get: operations["listFreezes"];
    put?: never;
    /** freezes the fleet, a cluster or a namespace */
    post: operations["freeze"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v1/freezes/{scope}": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    post?: never;
    /** ends the freeze of exactly this scope */
    delete: operations["liftFreeze"];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v1/workloads/{cluster}/{namespace}/{kind}/{name}/version": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** updates a workload to a named version, also a lower one */
    post: operations["setVersion"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v1/workloads/{cluster}/{namespace}/{kind}/{name}/rollback": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** rolls a workload back, and blocks the version that it leaves */
    post: operations["rollBack"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v1/workloads/{cluster}/{namespace}/{kind}/{name}/skips": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** lets a workload skip a tag, or ends this */
    post: operations["skipTag"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v1/workloads/{cluster}/{namespace}/{kind}/{name}/suspension": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** stops the updates of a workload */
    post: operations["suspendWorkload"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v1/workloads/{cluster}/{namespace}/{kind}/{name}/resumption": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** ends a suspension, a requested version and a hold */
    post: operations["resumeWorkload"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v1/workloads/{cluster}/{namespace}/{kind}/{name}/retry": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** unblocks failed digests, and evaluates a workload again */
    post: operations["retryWorkload"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v1/releases": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** lets updates pass gates, with exactly their present digests */
    post: operations["release"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v1/me": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** returns the caller's identity */
    get: operations["readMe"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v1/approvals": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** lists updates that wait for approval */
    get: operations["listApprovals"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v1/workloads/{cluster}/{namespace}/{kind}/{name}/approval": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** tells whether a vote of the caller would count, and why not */
    get: operations["mayVote"];
    put?: never;
    /** approves an update */
    post: operations["approve"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v1/workloads/{cluster}/{namespace}/{kind}/{name}/rejection": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** rejects an update, and blocks its digests on the workload */
    post: operations["reject"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v1/workloads/{cluster}/{namespace}/{kind}/{name}/approval-request": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** requests approval again for a rejected or expired update */
    post: operations["askForApproval"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v1/history": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** lists acts of people and ended updates, the newest first */
    get: operations["listHistory"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v1/images": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** lists which workload runs which image, and since when */
    get: operations["listImages"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v1/digests/{digest}": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** tells who runs a digest, who ran it, and how it came there */
    get: operations["readDigest"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v1/doctor/repair": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** compares derived rows with the records of a page of workloads, and writes differing rows again */
    post: operations["repairRows"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v1/doctor": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** checks the state and each registry, and lists the clusters */
    get: operations["examine"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v1/doctor/clusters/{cluster}": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** checks a cluster and its last sync */
    get: operations["examineCluster"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v1/doctor/probes": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** sends a synthetic push */
    post: operations["sendSyntheticPush"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v1/doctor/probes/{probe}": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** returns the arrival time of a synthetic push */
    get: operations["readProbe"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v1/stored": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** counts stored items by form, and names unreadable items */
    get: operations["listStoredItems"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v1/state": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** exports stored state, as `lookout export` does */
    get: operations["exportState"];
    put?: never;
    /** imports lines of an export, and keeps existing items */
    post: operations["importState"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v1/tokens": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** lists personal tokens, without their secrets */
    get: operations["listTokens"];
    put?: never;
    /** makes a personal token with a role, and returns it once */
    post: operations["createToken"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v1/tokens/{token}": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    post?: never;
    /** revokes a personal token */
    delete: operations["revokeToken"];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v1/configuration": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** lists settings in effect and their sources, without secrets */
    get: operations["readConfiguration"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v1/events": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** streams facts as server-sent events */
    get: operations["followFacts"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v1/state/file": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** returns a copy of the state file, as `lookout backup` does */
    get: operations["backUpState"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v1/openapi.json": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** returns the OpenAPI 3.1 document of this API */
    get: operations["readDocument"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v1/demo/push": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** pushes an image to the demo's registry */
    post: operations["pushToDemo"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
}
export type webhooks = Record<string, never>;
export interface components {
  schemas: {
    /** @description An update that waits for approval. */
    Approval: {
      /** @description cluster/namespace/kind/name */
      workload: string;
      uid: string;
      /** @description The version of the record. A vote names uid/version in If-Match. */
      version: number;
      /** @description The number of the update. */
      update: number;
      images: {
        container: string;
        /** @description The image that the update replaces. */
        from: string;
        imageName: string;
        tag: string;
        digest: string;
      }[];
      /** @description The SHA-256 hash of uid, update, images and gating settings. The list of approvals shows it. */
      bindingHash: string;
      /** Format: date-time */
      requestedAt: string;
      /**
       * Format: date-time
       * @description The time at which the update expires. Absent if the update never expires.
       */
      until?: string;
      /** @description True if the time for approval is over. Approval can be requested again. */
      isExpired: boolean;
      approvedBy: string[];
      /** @description The people whose votes cover other images or settings, and so don't count. */
      voidVotes: string[];
      /** @description The missing approvals. Empty if the update has all approvals, and waits for something else. */
      missing: {
        /** @description The number of people who still must approve. */
        more: number;
        /** @description The people who may still approve. */
        people: string[];
      }[];
      /** @description The people who may approve or reject the update. */
      deciders: string[];
      /** @description True if the caller may decide, and has not approved the update. */
      waitsForMe: boolean;
      /** @description All reasons why the update waits. */
      reasons: components["schemas"]["Reason"][];
      /** @description The labels of the workload. */
      labels: {
        [key: string]: string;
      };
    };
    /** @description Approves an update with exactly the listed images and settings. */
    ApprovalRequest: {
      /** @description The number of the update. */
      update: number;
      /** @description The SHA-256 hash of uid, update, images and gating settings. The list of approvals shows it. */
      bindingHash: string;
      why?: string;
    };
    /** @description The votes on an update, and the missing approvals. */
    ApprovalVotes: {
      update: number;
      /** Format: date-time */
      requestedAt: string;
      /**
       * Format: date-time
       * @description The time at which the update expires. Absent if the update never expires.
       */
      until?: string;
      /** @description True if the time for approval is over. Approval can be requested again. */
      isExpired: boolean;
      /** @description The newest vote of each person, the oldest first. */
      votes: {
        person: string;
        /** @enum {string} */
        decision: "approve" | "reject";
        /** @enum {string} */
        provedBy: "iam" | "token" | "annotation";
        /** Format: date-time */
        at: string;
        why?: string;
        /** @description False if the vote is about other images or settings, if its person may not decide, or if an annotation does not count. */
        counts: boolean;
      }[];
      /** @description The missing approvals. Empty if the update has all approvals. */
      missing: {
        /** @description The number of people who still must approve. */
        more: number;
        /** @description The people who may still approve. */
        people: string[];
      }[];
      /** @description The people who may approve or reject the update. */
      deciders: string[];
    };
    /** @description The updates that wait for approval. Updates that the caller may decide come first. */
    Approvals: {
      /** Format: date-time */
      at: string;
      /** @description The caller. Absent if the caller is no person in lookout.yaml. */
      me?: string;
      approvals: components["schemas"]["Approval"][];
      /** @description The value of `after` for the next page. Absent on the last page. */
      next?: string;
    };
    /** @description Requests approval again. */
    AskRequest: {
      /** @description The name of the requester. Default: api. */
      by?: string;
      why?: string;
    };
    /** @description The effect of a new request for approval. Both values are zero or false if nothing was rejected or expired. */
    AskedApproval: {
      /** @description cluster/namespace/kind/name */
      workload: string;
      /** @description The number of rejected digests that were unblocked. */
      unblocked: number;
      /** @description True if Lookout proposes an expired update again. */
      expired: boolean;
    };
    /** @description What a channel does with a fact, and why. */
    ChannelExplanation: {
      name: string;
      /** @description The name of the fact. */
      fact: string;
      /**
       * @description follows: it changes a message that was told before.
       * @enum {string}
       */
      verdict: "opens" | "follows" | "ignored";
      /** @description What was asked, in order. */
      checks: {
        /** @enum {string} */
        check: "event" | "severity" | "cluster" | "namespace" | "named" | "quiet" | "state";
        isPassed: boolean;
        detail: string;
      }[];
      /** @description What the channel was told of this update. Absent if nothing, or if the request names no fact's id. */
      told?: {
        /** @description The number of times that the message was sent or changed. */
        shows: number;
        /**
         * Format: date-time
         * @description The time from which it may change again.
         */
        at: string;
        /** @description The channel's name for the message. */
        reference?: string;
      };
    };
    /** @description The answer of a channel to a harmless message. */
    ChannelTest: {
      name: string;
      /**
       * @description told: the server took the message.
       * @enum {string}
       */
      outcome: "told" | "later" | "refused" | "off";
      /** @description Absent if the server took the message. */
      why?: string;
    };
    /** @description The channels, in the order of lookout.yaml. */
    Channels: {
      /** Format: date-time */
      at: string;
      channels: {
        /** @description The name of the entry in lookout.yaml. */
        name: string;
        /** @description The kind of the entry, such as slack. */
        kind: string;
        /**
         * @description What one of its messages is about: a fact, an update or a push, or a workload with trouble.
         * @enum {string}
         */
        form: "facts" | "updates" | "incidents";
        /** @description The facts that the channel tells. */
        events: string[];
        /** @enum {string} */
        minSeverity: "debug" | "info" | "notice" | "warning" | "error" | "critical" | "action";
        /** @description Absent if it tells of all clusters. */
        clusters?: string[];
        /** @description Patterns, those with ! are excluded. Absent if it tells of all. */
        namespaces?: string[];
        /**
         * @description True if it tells only of workloads whose annotation names it.
         * @constant
         */
        onlyNamed?: true;
        /**
         * @description paused: it failed several times in a row. off, unusable: it tells nothing until a person acts.
         * @enum {string}
         */
        state: "well" | "failing" | "paused" | "off" | "unusable";
        /** @description Why it does not work. Absent if it works. */
        why?: string;
        /**
         * Format: date-time
         * @description The time of the first failure in a row.
         */
        since?: string;
        /**
         * Format: date-time
         * @description The end of the pause.
         */
        until?: string;
        /** @description The number of facts that were not told since the last success. */
        untold: number;
        /**
         * Format: date-time
         * @description A time at which it told something. The last time may be an hour later.
         */
        toldAt?: string;
      }[];
    };
    /** @description The result of one check. */
    Check: {
      /** @description The checked object: `table`, `cluster prod`. */
      check: string;
      /**
       * @description The verdict. The verdict is doubtful if the finding may be intended.
       * @enum {string}
       */
      verdict: "well" | "doubtful" | "wrong";
      detail: string;
      /** @description The step that mends the finding. */
      remedy?: string;
    };
    /** @description A cluster, as of its last sync. */
    Cluster: {
      name: string;
      /** Format: date-time */
      lastSyncAt?: string;
      problem?: {
        reason: string;
        detail: string;
        /** Format: date-time */
        since: string;
      };
      /** @description What is wrong with the objects that declare updates. Absent if nothing is. Other updates go on. */
      definitionProblems?: {
        kind: string;
        reason: string;
        detail: string;
        /** Format: date-time */
        since: string;
        remedy: string;
      }[];
      /** @description The registration. Absent if the cluster is in lookout.yaml. */
      registered?: {
        by: string;
        /** Format: date-time */
        at: string;
      };
    };
    /** @description Lookout's access to a cluster, and the missing rights. */
    ClusterCheck: {
      /** Format: date-time */
      at: string;
      cluster: string;
      /** @description The uid of the cluster's namespace kube-system. Absent if Lookout could not reach the cluster. */
      identity?: string;
      /** @description The rights that updates need and the cluster does not grant: `patch deployments`. */
      missing: string[];
      /** @description The rights of the credential that Lookout never needs: `read Secrets`. Absent if there are none. */
      excessive?: string[];
      /** @description The kinds of objects that declare updates, that the cluster has, and that Lookout may not read or report: `ImagePolicy`. Absent if there are none. */
      ignored?: string[];
      /** @description The kinds of objects that declare updates, that the cluster has, and that Lookout does not read, because lookout.yaml has no `definitions: true`: `ImagePolicy`. Absent if there are none. */
      unused?: string[];
      /** @description The reason why Lookout could not reach the cluster. */
      problem?: string;
      /** @description The remedy after a failed check. */
      remedy?: string;
    };
    /** @description Registers an EKS cluster, with the same keys as an entry of lookout.yaml. */
    ClusterRequest: {
      name: string;
      eks: {
        /** @description The name of the cluster in EKS. */
        name: string;
        /** @description The cluster's region. Default: the region of the stack, else AWS_REGION. */
        region?: string;
        /** @description The role that has access to the cluster. Default: the stack's access role. A local Lookout uses the user's credentials. */
        roleArn?: string;
      };
      namespaces?: {
        /** @description The tracked namespaces. Default: all namespaces, except denied namespaces and Kubernetes' own. */
        allow?: string[];
        /** @description The namespaces that Lookout never tracks. deny wins over allow. */
        deny?: string[];
      };
      by: string;
      /** @description The reason, for the history. */
      why?: string;
    };
    /** @description A requested sync of a cluster, which begins now. */
    ClusterSync: {
      /** Format: date-time */
      at: string;
      cluster: string;
    };
    /** @description All clusters, sorted by name. */
    Clusters: {
      /** Format: date-time */
      at: string;
      clusters: components["schemas"]["Cluster"][];
    };
    /** @description The effect of a person's request on a workload. */
    Control: {
      /** Format: date-time */
      at: string;
      /** @description cluster/namespace/kind/name */
      workload: string;
      /** @description False if the workload was already as requested. */
      changed: boolean;
      /** @description What the request did. */
      detail: string;
      /** @description The open update after the request. Absent without one. */
      update?: components["schemas"]["Update"];
      /** @description The reasons why the open update waits now. */
      reasons: components["schemas"]["Reason"][];
    };
    /** @description A new token. No other answer contains its text. */
    CreatedToken: {
      /** @description The name of the holder. */
      name: string;
      /** @description The first twelve digits of the token's SHA-256. */
      id: string;
      /** @enum {string} */
      role: "viewer" | "approver" | "operator" | "owner";
      /** @description The clusters that the token covers. Default: all clusters. */
      clusters?: string[];
      /** @description The namespaces that the token covers. A * at the end stands for any text. Default: all namespaces. */
      namespaces?: string[];
      createdBy: string;
      /** Format: date-time */
      createdAt: string;
      /**
       * Format: date-time
       * @description Absent if the token never expires.
       */
      expiresAt?: string;
      /** Format: date-time */
      revokedAt?: string;
      /**
       * Format: date-time
       * @description The last use, exact to a day. Absent if the token was never used.
       */
      lastUsedAt?: string;
      /** @description The token, for the header `Authorization: Bearer`. */
      text: string;
    };
    /** @description The history of a workload, the newest first. */
    Decisions: {
      /** @description cluster/namespace/kind/name */
      workload: string;
      decisions: {
        /** Format: date-time */
        at: string;
        /** @description The number of the update. The number is 0 before the first update. */
        seq: number;
        version: number;
        what: string;
        /** @enum {string} */
        fact:
          | "WorkloadTracked"
          | "WorkloadChanged"
          | "WorkloadUntracked"
          | "UpdateHeld"
          | "ApprovalRequested"
          | "ApprovalGiven"
          | "ApprovalRejected"
          | "ApprovalExpired"
          | "ApprovalVoided"
          | "UpdateReleased"
          | "RolloutPrepared"
          | "RolloutStarted"
          | "RolloutWaiting"
          | "WorkloadRunning"
          | "RolloutSucceeded"
          | "RolloutFailed"
          | "RollbackStarted"
          | "RolledBack"
          | "RollbackFailed"
          | "RevertedByUser"
          | "UpdateSuperseded"
          | "TierCompleted"
          | "TierHalted"
          | "HoldEnded"
          | "DigestsUnblocked"
          | "WorkloadSuspended"
          | "WorkloadResumed"
          | "VersionKept"
          | "TagSkipped"
          | "BaseImageMoved"
          | "EvidenceImported";
        images: components["schemas"]["Image"][];
        reasons: components["schemas"]["Reason"][];
        detail?: string;
        cause: string;
        /** @description The id of the push that led to the change. Absent if no push led to the change. */
        correlationId?: string;
        /**
         * @description True if an import brought the row, so nothing proves it.
         * @constant
         */
        isImported?: true;
      }[];
    };
    /** @description The pushed image. */
    DemoPush: {
      image: string;
      digest: string;
    };
    /** @description Pushes an image to the demo's registry. */
    DemoPushRequest: {
      /** @description The image: shop/api:1.3.0 */
      image: string;
      /** @description True if the pushed image can't start. */
      broken?: boolean;
    };
    /** @description Who runs a digest, who ran it, and how it came there. */
    Digest: {
      /**
       * Format: date-time
       * @description The time of which `runs` tells.
       */
      at: string;
      digest: string;
      /** @description The images with their tags that had this digest. */
      images: string[];
      /** @description The containers that ran the digest at this time, sorted by workload. */
      runs: {
        /** @description cluster/namespace/kind/name */
        workload: string;
        container: string;
        imageName: string;
        tag?: string;
        /** @description Absent while the digest is unknown. */
        digest?: string;
        /**
         * Format: date-time
         * @description Since when the container runs the image, as far as Lookout knows.
         */
        since: string;
        /**
         * Format: date-time
         * @description Absent while the container runs the image.
         */
        until?: string;
        /** @description The update that brought the image. Absent if Lookout did not bring it. */
        update?: number;
        approvedBy?: string[];
      }[];
      /** @description All other runs of the digest, the newest first. */
      ran: {
        /** @description cluster/namespace/kind/name */
        workload: string;
        container: string;
        imageName: string;
        tag?: string;
        /** @description Absent while the digest is unknown. */
        digest?: string;
        /**
         * Format: date-time
         * @description Since when the container runs the image, as far as Lookout knows.
         */
        since: string;
        /**
         * Format: date-time
         * @description Absent while the container runs the image.
         */
        until?: string;
        /** @description The update that brought the image. Absent if Lookout did not bring it. */
        update?: number;
        approvedBy?: string[];
      }[];
      /** @description How the digest came here, the oldest step first. */
      path: {
        /**
         * Format: date-time
         * @description Absent if the time is not stored.
         */
        at?: string;
        /** @enum {string} */
        what: "pushed" | "seen" | "selected" | "approved" | "blocked" | "quarantined";
        /** @description The image with its tag. */
        image?: string;
        /** @description cluster/namespace/kind/name */
        workload?: string;
        update?: number;
        by?: string;
        why?: string;
      }[];
    };
    /** @description The checks of Lookout and of the systems that it uses. */
    Doctor: {
      /** Format: date-time */
      at: string;
      checks: components["schemas"]["Check"][];
      /** @description The names of all clusters. Each has its own check. */
      clusters: string[];
    };
    /** @description The reasons why a workload runs its present images, and the conditions for other images. */
    Explanation: {
      /** Format: date-time */
      at: string;
      workload: components["schemas"]["Workload"];
      selections: {
        container: string;
        policy: string;
        /** @enum {string} */
        outcome: "selected" | "unchanged" | "none";
        tag?: string;
        /** @description The digest that the container would get, also of the running tag. Absent if it would get no image. */
        digest?: string;
        why?: components["schemas"]["Reason"];
        /** @description The number of the repository's tags. Absent if the tags were not listed. */
        tags?: number;
        rejected: {
          tag: string;
          /** @enum {string} */
          reason:
            | "not-a-tag"
            | "skipped-by-person"
            | "left-by-person"
            | "not-a-digest"
            | "describes-another-image"
            | "not-included"
            | "excluded"
            | "pattern-does-not-match"
            | "nothing-extracted"
            | "not-a-version"
            | "not-a-number"
            | "other-flavour"
            | "other-precision"
            | "pre-release"
            | "outside-range"
            | "push-time-unknown"
            | "older-than-current"
            | "not-an-image"
            | "too-new"
            | "waits-for-tier"
            | "passed-over"
            | "not-the-running-tag";
          /** @description The artifact that the tag holds. Absent for an image. */
          detail?: string;
          /**
           * Format: date-time
           * @description The time at which the tag is old enough. Absent for another reason.
           */
          until?: string;
        }[];
        /** @description The request of the person whose version the container keeps. Absent if its policy decides. */
        kept?: {
          /** @enum {string} */
          as: "set" | "rollback";
          by: string;
          why: string;
          /** Format: date-time */
          at: string;
          /** @description The newest tag at that time. Absent if the image had no tag. */
          newest?: string;
          /** @description The tags that existed at that time and that the policy prefers. Any other tag that the policy prefers ends the request. Absent if only a tag above the newest one ends it. */
          left?: string[];
        };
        /** @description The newer tags that the policy skipped for their form. Absent if it skipped none. */
        newerSkipped?: {
          /** @description The number of skipped tags. 10 means 10 or more. */
          count: number;
          /**
           * @description The most frequent reason.
           * @enum {string}
           */
          reason:
            | "other-flavour"
            | "other-precision"
            | "pre-release"
            | "other-commit"
            | "by-person"
            | "left-by-person"
            | "newer-reason";
          /** @description At most three of the tags, the highest first. */
          tags?: string[];
        };
        /** @description Annotations that would follow the tags of the repository. Absent if none would help. */
        suggestedAnnotations?: {
          [key: string]: string;
        };
        /** @description The policy's answer about the tag of the query, as if the repository had the tag. The reason is absent if the policy allows the tag. Absent without a tag in the query. */
        asked?: {
          tag: string;
          /** @enum {string} */
          reason?:
            | "not-a-tag"
            | "skipped-by-person"
            | "left-by-person"
            | "not-a-digest"
            | "describes-another-image"
            | "not-included"
            | "excluded"
            | "pattern-does-not-match"
            | "nothing-extracted"
            | "not-a-version"
            | "not-a-number"
            | "other-flavour"
            | "other-precision"
            | "pre-release"
            | "outside-range"
            | "push-time-unknown"
            | "older-than-current"
            | "not-an-image"
            | "too-new"
            | "waits-for-tier"
            | "passed-over"
            | "not-the-running-tag";
        };
      }[];
      /** @description The answers of all gates, in the order of evaluation. */
      gates: {
        /** @enum {string} */
        gate:
          | "settings"
          | "suspension"
          | "freeze"
          | "quarantine"
          | "hold"
          | "reapply"
          | "pull-limit"
          | "declared-source"
          | "controller"
          | "pause"
          | "downgrade"
          | "min-age"
          | "platforms"
          | "approval"
          | "window"
          | "tier"
          | "checks"
          | "rollout"
          | "cluster"
          | "budget"
          | "observe";
        open: boolean;
        detail?: string;
        why?: components["schemas"]["Reason"];
      }[];
      /** @description The images from which the workload's images are built. Absent if the workload names none. */
      baseImages?: {
        /** @description The image as one text: `docker.io/library/node:22`. */
        image: string;
        /** @description The last known digest of the tag. Absent if it was never read. */
        digest?: string;
        /** @description Why the digest can't be read now. Absent if it can. */
        problem?: string;
      }[];
      /** @description Remarks about the next update, in sentences. */
      notices: string[];
      /** @description Absent if the desired images need no approval. */
      approval?: components["schemas"]["ApprovalVotes"];
      hold?: {
        seq: number;
        /** Format: date-time */
        at: string;
        detail: string;
      };
    };
    /** @description A page of the stored state of this installation. */
    Export: {
      header: components["schemas"]["ExportHeader"];
      rows: components["schemas"]["TransferRow"][];
      /** @description The items that can't be read, so the page lacks them. Absent if it lacks none. */
      unreadable?: {
        kind: string;
        /** @description The partition key `pk` of the item. */
        partition: string;
        /** @description The sort key `sk` of the item. */
        sortKey: string;
        why: string;
      }[];
      /** @description The value of `after` for the next page. Absent on the last page. */
      next?: string;
    };
    /** @description The first line of an export. */
    ExportHeader: {
      /** @constant */
      lookout: "export";
      /** @constant */
      schemaVersion: 6;
      /** @description The name of the installation. Its update labels contain the name. */
      installation: string;
      /** @description The version of Lookout that wrote the export. */
      version: string;
      clusters: string[];
      /** Format: date-time */
      at: string;
    };
    /** @description A fact about a workload's update. Each event of the stream has one fact as its `data`. */
    Fact: {
      /** @enum {string} */
      name:
        | "WorkloadTracked"
        | "WorkloadChanged"
        | "WorkloadUntracked"
        | "UpdateHeld"
        | "ApprovalRequested"
        | "ApprovalGiven"
        | "ApprovalRejected"
        | "ApprovalExpired"
        | "ApprovalVoided"
        | "UpdateReleased"
        | "RolloutPrepared"
        | "RolloutStarted"
        | "RolloutWaiting"
        | "WorkloadRunning"
        | "RolloutSucceeded"
        | "RolloutFailed"
        | "RollbackStarted"
        | "RolledBack"
        | "RollbackFailed"
        | "RevertedByUser"
        | "UpdateSuperseded"
        | "TierCompleted"
        | "TierHalted"
        | "HoldEnded"
        | "DigestsUnblocked"
        | "WorkloadSuspended"
        | "WorkloadResumed"
        | "VersionKept"
        | "TagSkipped"
        | "BaseImageMoved"
        | "EvidenceImported";
      /** @description uid/seq/version/name. A repeated fact has the same id. */
      id: string;
      workload: {
        cluster: string;
        namespace: string;
        /** @description Deployment, StatefulSet, DaemonSet, CronJob, or a kind of lookout.yaml such as rollout.argoproj.io. */
        kind: string;
        name: string;
      };
      uid: string;
      seq: number;
      version: number;
      /** Format: date-time */
      at: string;
      /**
       * Format: date-time
       * @description The time at which Lookout received the push, or found the change.
       */
      detectedAt?: string;
      source?: string;
      /** @description The id of the push that led to the change. Absent if no push led to the change. */
      correlationId?: string;
      changes: {
        /** @enum {string} */
        list: "containers" | "initContainers" | "volumes";
        /** @description The name of the container. */
        name: string;
        imageName: string;
        tag: string;
        digest: string;
        /** @enum {string} */
        apply: "pin" | "tag" | "restart";
        from: string;
        to: string;
        fromDigest?: string;
        policy: string;
        /** @description The attributes of the image: the named groups of its patterns, `tag`, and the repository as `name`. Absent if no pattern names a group. */
        attributes?: {
          [key: string]: string;
        };
        /** @description Absent if the new image states no origin. */
        whatChanged?: components["schemas"]["WhatChanged"];
      }[];
      /** @description The base images whose digests moved. Absent for other facts. */
      baseImages?: {
        image: string;
        from: string;
        digest: string;
      }[];
      reasons: {
        /** @enum {string} */
        reason:
          | "suspended"
          | "suspended-by-person"
          | "version-kept"
          | "frozen"
          | "planned-freeze"
          | "problem-in-settings"
          | "quarantined"
          | "reverted-by-user"
          | "manifest-applied-again"
          | "pull-limited"
          | "quota-exceeded"
          | "webhook-unavailable"
          | "other-container-failed"
          | "declared-source-owns-the-image"
          | "owned-by-a-controller"
          | "workload-paused"
          | "lower-version"
          | "image-too-new"
          | "needs-approval"
          | "approval-expired"
          | "approval-rejected"
          | "approval-asked-again"
          | "approval-needs-a-digest"
          | "window-closed"
          | "blackout-active"
          | "tier-pending"
          | "tier-soaking"
          | "tier-halted"
          | "tier-unproved"
          | "tier-unread"
          | "tier-unknown"
          | "check-not-asked"
          | "check-refused"
          | "check-unanswered"
          | "check-unknown"
          | "rollout-in-progress"
          | "cluster-budget"
          | "observe"
          | "cluster-unreachable"
          | "cluster-denied"
          | "denied-by-admission"
          | "patch-invalid"
          | "other-repository"
          | "settings-changed"
          | "internal-error"
          | "superseded-by-a-newer-push"
          | "rollback-requested"
          | "version-requested"
          | "tag-skipped"
          | "changed-by-hand"
          | "unknown-update"
          | "already-runs"
          | "no-longer-wanted"
          | "workload-gone"
          | "object-recreated"
          | "container-gone"
          | "cluster-removed"
          | "not-tracked"
          | "rollout-failed"
          | "check-failed"
          | "pods-denied"
          | "rollout-timed-out"
          | "pods-run-another-digest"
          | "rollback-not-recovered"
          | "digest-blocked"
          | "digest-replaced"
          | "digest-rolled-back"
          | "digest-rejected"
          | "no-tag-fits"
          | "no-common-tag"
          | "pattern-too-slow"
          | "would-downgrade"
          | "current-tag-not-a-version"
          | "current-tag-not-comparable"
          | "no-tag-to-follow"
          | "not-an-image"
          | "platform-missing"
          | "platform-unknown"
          | "nodes-unknown"
          | "rollback-target-missing"
          | "digest-drift"
          | "tag-not-found"
          | "repository-not-found"
          | "other-registry"
          | "registry-not-allowed"
          | "registry-unreachable"
          | "registry-not-trusted"
          | "registry-clock-differs"
          | "registry-throttled"
          | "registry-circuit-open"
          | "over-budget"
          | "registry-not-asked"
          | "evaluation-failed"
          | "imported"
          | "rollback-unproved"
          | "newer-reason"
          | "registry-denied";
        /** Format: date-time */
        until?: string;
        detail?: string;
      }[];
      /**
       * @description Only in the first fact of an update: this version of the record selected the update.
       * @constant
       */
      selected?: true;
      detail?: string;
      /**
       * @description Only if the update waits for the same reasons as before.
       * @constant
       */
      again?: true;
      /** @description The channels that the workload's annotations name. */
      channels?: string[];
      /**
       * @description How much the fact matters, the least first.
       * @enum {string}
       */
      severity: "debug" | "info" | "notice" | "warning" | "error" | "critical" | "action";
      /**
       * @description How the update stands. `none`: the fact is about no update.
       * @enum {string}
       */
      outcome:
        | "none"
        | "waiting"
        | "in-progress"
        | "succeeded"
        | "failed"
        | "rolled-back"
        | "rollback-failed"
        | "reverted"
        | "rejected"
        | "superseded";
      /** @description The fact as one sentence of at most 250 characters. */
      text: string;
    };
    /** @description Freezes a scope. */
    FreezeRequest: {
      /** @description `*` for the whole fleet, `CLUSTER`, or `CLUSTER/NAMESPACE`. */
      scope: string;
      why: string;
      by: string;
      /**
       * Format: date-time
       * @description The end. Absent if the freeze lasts until a request ends it.
       */
      until?: string;
      /** @description True to freeze also an unknown cluster or namespace. */
      force?: boolean;
    };
    /** @description The active and planned freezes, sorted by scope. A scope is `*`, `CLUSTER` or `CLUSTER/NAMESPACE`. */
    Freezes: {
      /** Format: date-time */
      at: string;
      freezes: {
        scope: string;
        by: string;
        why: string;
        /**
         * Format: date-time
         * @description The start. Absent for a planned freeze.
         */
        at?: string;
        /** Format: date-time */
        until?: string;
        /** @description The name of a planned freeze. Only a change of lookout.yaml ends it. */
        planned?: string;
      }[];
      /** @description Planned freezes of lookout.yaml that are not active now. */
      planned: {
        name: string;
        scope: string;
        why: string;
        /**
         * Format: date-time
         * @description The next start. Absent if the freeze never starts again.
         */
        from?: string;
        /** Format: date-time */
        until?: string;
      }[];
      /** @description Frozen workloads whose patch began before the freeze. Such a patch lands within ten seconds, or not at all. */
      inFlight: string[];
      /** @description What a new freeze covers, only in the answer to its request. */
      effect?: {
        /** @description The number of tracked workloads in the scope. */
        workloads: number;
        /** @description The number of them whose update is being patched, rolled out or rolled back. It goes on. */
        inFlight: number;
        /** @description The number of waiting updates that the freeze holds. */
        holds: number;
      };
    };
    /** @description Acts of people and ended updates, the newest first. */
    History: {
      /** Format: date-time */
      at: string;
      rows: {
        /** @description The identity of what happened. `of` takes it. */
        id: string;
        /** Format: date-time */
        at: string;
        /** @description The act of a person, or the end of an update. With `of`, also the other decisions about an update. */
        what: string;
        /** @description The person. Absent if Lookout decided. */
        by?: string;
        /**
         * @description How the name was proved. Absent if only the request named the person.
         * @enum {string}
         */
        provedBy?: "iam" | "token" | "annotation";
        /** @description The person's reason. */
        why?: string;
        /**
         * @description How the update ended. Absent if no update ended.
         * @enum {string}
         */
        ended?: "succeeded" | "rolled-back" | "rollback-failed" | "failed" | "reverted" | "superseded" | "rejected";
        /** @description cluster/namespace/kind/name */
        workload?: string;
        /** @description The part of the fleet: `*`, CLUSTER or CLUSTER/NAMESPACE. */
        scope?: string;
        /** @description The digest, token or installation that the act is about. */
        subject?: string;
        /** @description The number of the update. */
        update?: number;
        images: {
          container?: string;
          imageName: string;
          tag: string;
          digest: string;
          /** @description Absent if the image states no origin. */
          whatChanged?: components["schemas"]["WhatChanged"];
        }[];
        /** @description Why the update ended or waits. */
        reasons: components["schemas"]["Reason"][];
        detail?: string;
        /** @description The id of the push that led to the change. Absent if no push led to the change. */
        correlationId?: string;
      }[];
      /** @description The value of `after` for the next page. Absent on the last page. */
      next?: string;
    };
    /** @description A running or desired image of a container. */
    Image: {
      container: string;
      /** @description The text of the image field in the manifest. */
      image: string;
      /** @description The registry and the repository: `docker.io/library/nginx`. */
      imageName: string;
      tag?: string;
      digest?: string;
      /** @description The policy of the container. Absent for a container that is not tracked. */
      policy?: string;
      /** @description The newest available tag, for a pinned container. Absent if no tag is newer. */
      available?: string;
      /** @description The newer tags that the policy skipped for their form. Absent if it skipped none. */
      newerSkipped?: {
        /** @description The number of skipped tags. 10 means 10 or more. */
        count: number;
        /**
         * @description The most frequent reason.
         * @enum {string}
         */
        reason:
          | "other-flavour"
          | "other-precision"
          | "pre-release"
          | "other-commit"
          | "by-person"
          | "left-by-person"
          | "newer-reason";
        /** @description At most three of the tags, the highest first. */
        tags?: string[];
      };
      /** @description Annotations that would follow the tags of the repository. Absent if none would help. */
      suggestedAnnotations?: {
        [key: string]: string;
      };
      /** @description The attributes of the image: the named groups of its patterns, `tag`, and the repository as `name`. Absent if no pattern names a group. */
      attributes?: {
        [key: string]: string;
      };
      /** @description Absent for a running image, and if the new image states no origin. */
      whatChanged?: components["schemas"]["WhatChanged"];
    };
    /** @description Which workload runs which image, sorted by image. */
    Images: {
      /** Format: date-time */
      at: string;
      images: {
        /** @description cluster/namespace/kind/name */
        workload: string;
        container: string;
        imageName: string;
        tag?: string;
        /** @description Absent while the digest is unknown. */
        digest?: string;
        /**
         * Format: date-time
         * @description Since when the container runs the image, as far as Lookout knows.
         */
        since: string;
        /**
         * Format: date-time
         * @description Absent while the container runs the image.
         */
        until?: string;
        /** @description The update that brought the image. Absent if Lookout did not bring it. */
        update?: number;
        approvedBy?: string[];
      }[];
      /** @description The value of `after` for the next page. Absent on the last page. */
      next?: string;
    };
    /** @description The number of lines by outcome. */
    Import: {
      stored: number;
      /** @description The number of skipped lines. Their items exist already, or are valid only in the exporting installation. */
      kept: number;
      /** @description The number of skipped lines with votes and first sightings. */
      evidence: number;
    };
    /** @description Some lines of an export. */
    ImportRequest: {
      header: components["schemas"]["ExportHeader"];
      /** @description The line number of the first of these lines, for messages. */
      firstLine: number;
      /** @description True if Lookout only checks the lines, and stores nothing. */
      checkOnly?: boolean;
      /** @description True if votes and first sightings are stored too. Only an owner of lookout.yaml may ask for it. */
      withEvidence?: boolean;
      /** @description The name of the requester. Default: api. */
      by?: string;
      /** @description The reason, for the history. */
      why?: string;
      /** @description The lines. If one line is invalid, Lookout stores none of them. */
      rows: unknown[];
    };
    /** @description Whether a vote of the caller on an update would count now. */
    MayVote:
      | {
          /** @description cluster/namespace/kind/name */
          workload: string;
          uid: string;
          /** @description The version of the record. A vote names uid/version in If-Match. */
          version: number;
          /** @description The number of the update. */
          update: number;
          /** @description The people who may decide about the workload. */
          deciders: string[];
          /** @constant */
          mayVote: true;
          images: {
            container: string;
            /** @description The image that the update replaces. */
            from: string;
            imageName: string;
            tag: string;
            digest: string;
          }[];
          /** @description The SHA-256 hash of uid, update, images and gating settings. The list of approvals shows it. */
          bindingHash: string;
        }
      | {
          /** @description cluster/namespace/kind/name */
          workload: string;
          uid: string;
          /** @description The version of the record. A vote names uid/version in If-Match. */
          version: number;
          /** @description The number of the update. */
          update: number;
          /** @description The people who may decide about the workload. */
          deciders: string[];
          /** @constant */
          mayVote: false;
          /** @description The problem with which the vote would be refused. */
          why: components["schemas"]["Problem"];
        };
    /** @description The identity of the caller. */
    Me: {
      /** @description Absent if the caller is no person in lookout.yaml. */
      person?: string;
      /** @enum {string} */
      provedBy: "iam" | "token" | "nobody";
      /** @description The ARN that IAM proved. */
      arn?: string;
      /** @description The caller's personal token. Absent for another proof. */
      token?: components["schemas"]["Token"];
    };
    /** @description A synthetic push that checks whether pushes arrive. */
    Probe: {
      /** @description The id of the synthetic push. */
      id: string;
      /**
       * Format: date-time
       * @description The time at which Lookout sent the push. Present only in the answer to the request that sent the push.
       */
      sentAt?: string;
      /**
       * Format: date-time
       * @description The time at which evaluate/image-pushed received the push. Absent until the push is received.
       */
      arrivedAt?: string;
    };
    /** @description The reason why Lookout refused a request: a problem of RFC 9457. */
    Problem: {
      /** @description A tag URI that contains the code. */
      type: string;
      /** @description The meaning of the code, in a sentence. */
      title: string;
      /** @description The HTTP status. */
      status: number;
      /** @description The fault of this request. */
      detail: string;
      /** @enum {string} */
      code:
        | "bad-request"
        | "bad-name"
        | "bad-scope"
        | "bad-end"
        | "bad-line"
        | "needs-a-person"
        | "no-token"
        | "no-caller"
        | "foreign-page"
        | "no-right"
        | "token-limited"
        | "not-found"
        | "from-configuration"
        | "registry-not-allowed"
        | "cluster-not-registered"
        | "token-exists"
        | "still-observes"
        | "not-empty"
        | "version-refused"
        | "not-releasable"
        | "update-unknown"
        | "update-superseded"
        | "update-decided"
        | "approved-already"
        | "approval-expired"
        | "approval-not-needed"
        | "changed-meanwhile"
        | "key-used"
        | "request-too-large"
        | "misdirected"
        | "not-here"
        | "newer-record"
        | "try-again"
        | "malformed"
        | "no-registry"
        | "broken-off"
        | "unauthorized"
        | "unknown-receiver"
        | "too-slow"
        | "too-large"
        | "busy";
      /** @description The step that helps. */
      remedy: string;
      /** @description The current uid/version of the workload, for If-Match. */
      etag?: string;
      /** @description The workload's update that waits now. Absent if no update waits. */
      pending?: {
        /** @description The number of the update. */
        update: number;
        images: {
          container: string;
          imageName: string;
          tag: string;
          digest: string;
        }[];
      };
      /** @description The people who may decide about the workload. */
      deciders?: string[];
    };
    /** @description The quarantined digests, sorted. */
    Quarantine: {
      quarantined: {
        digest: string;
        by: string;
        why: string;
        /** Format: date-time */
        at: string;
      }[];
      /** @description What a new quarantine covers, only in the answer to its request. */
      effect?: {
        /** @description The number of tracked workloads. */
        workloads: number;
        /** @description The number of them that run the digest. They stay as they are. */
        runs: number;
        /** @description The number of waiting updates that the quarantine holds. */
        holds: number;
      };
    };
    /** @description Puts a digest in quarantine. */
    QuarantineRequest: {
      digest: string;
      why: string;
      by: string;
    };
    /** @description The reason why an update or a check does not continue, with its remedy. */
    Reason: {
      /** @enum {string} */
      reason:
        | "suspended"
        | "suspended-by-person"
        | "version-kept"
        | "frozen"
        | "planned-freeze"
        | "problem-in-settings"
        | "quarantined"
        | "reverted-by-user"
        | "manifest-applied-again"
        | "pull-limited"
        | "quota-exceeded"
        | "webhook-unavailable"
        | "other-container-failed"
        | "declared-source-owns-the-image"
        | "owned-by-a-controller"
        | "workload-paused"
        | "lower-version"
        | "image-too-new"
        | "needs-approval"
        | "approval-expired"
        | "approval-rejected"
        | "approval-asked-again"
        | "approval-needs-a-digest"
        | "window-closed"
        | "blackout-active"
        | "tier-pending"
        | "tier-soaking"
        | "tier-halted"
        | "tier-unproved"
        | "tier-unread"
        | "tier-unknown"
        | "check-not-asked"
        | "check-refused"
        | "check-unanswered"
        | "check-unknown"
        | "rollout-in-progress"
        | "cluster-budget"
        | "observe"
        | "cluster-unreachable"
        | "cluster-denied"
        | "denied-by-admission"
        | "patch-invalid"
        | "other-repository"
        | "settings-changed"
        | "internal-error"
        | "superseded-by-a-newer-push"
        | "rollback-requested"
        | "version-requested"
        | "tag-skipped"
        | "changed-by-hand"
        | "unknown-update"
        | "already-runs"
        | "no-longer-wanted"
        | "workload-gone"
        | "object-recreated"
        | "container-gone"
        | "cluster-removed"
        | "not-tracked"
        | "rollout-failed"
        | "check-failed"
        | "pods-denied"
        | "rollout-timed-out"
        | "pods-run-another-digest"
        | "rollback-not-recovered"
        | "digest-blocked"
        | "digest-replaced"
        | "digest-rolled-back"
        | "digest-rejected"
        | "no-tag-fits"
        | "no-common-tag"
        | "pattern-too-slow"
        | "would-downgrade"
        | "current-tag-not-a-version"
        | "current-tag-not-comparable"
        | "no-tag-to-follow"
        | "not-an-image"
        | "platform-missing"
        | "platform-unknown"
        | "nodes-unknown"
        | "rollback-target-missing"
        | "digest-drift"
        | "tag-not-found"
        | "repository-not-found"
        | "other-registry"
        | "registry-not-allowed"
        | "registry-unreachable"
        | "registry-not-trusted"
        | "registry-clock-differs"
        | "registry-throttled"
        | "registry-circuit-open"
        | "over-budget"
        | "registry-not-asked"
        | "evaluation-failed"
        | "imported"
        | "rollback-unproved"
        | "newer-reason"
        | "registry-denied";
      sentence: string;
      /** @description The step that helps. */
      remedy: string;
      detail?: string;
      /** Format: date-time */
      until?: string;
      /** @description The member of an earlier tier that decides. Absent if none does. */
      member?: {
        tier: string;
        /** @description cluster/namespace/kind/name. Absent if your token does not cover the member. */
        workload?: string;
        /** @description What it does now, in a few words. Absent in lists, in the history, and if your token does not cover it. */
        does?: string;
        /**
         * Format: date-time
         * @description The start of what it does. Absent if that is unknown.
         */
        since?: string;
      };
    };
    /** @description Suspends, resumes or retries the updates of a workload. */
    ReasonedRequest: {
      /** @description The name of the requester. Default: api. */
      by?: string;
      /** @description The reason, for the history. */
      why: string;
    };
    /** @description The registries of lookout.yaml in the order of the file, then other registries of workloads' images. */
    Registries: {
      /** Format: date-time */
      at: string;
      registries: {
        /** @description The name of the entry in lookout.yaml, else the host. */
        name: string;
        host: string;
        /** @description True if lookout.yaml has an entry for this registry. */
        isListed: boolean;
        aliases: string[];
        /** @description The path prefixes of the repositories that the entry serves. Absent if the entry serves all repositories. */
        prefixes?: string[];
        /** @description The namespaces whose workloads may use the entry. Absent if all namespaces may use the entry. */
        namespaces?: string[];
        /** @description The number of repositories that workloads subscribe to. */
        repositories: number;
        /**
         * @description The source of the registry's credential, never the credential itself.
         * @enum {string}
         */
        credential: "passwordEnv" | "passwordFile" | "passwordParameter" | "passwordId" | "roleArn" | "default";
        /** @description The rate limit of requests to the registry, for all functions together. */
        limit: {
          /** @description Absent if Lookout does not limit its requests. */
          requestsPerSecond?: number;
          burst?: number;
          /** @description The number of requests that may start now, besides the reserved requests. */
          tokensLeft?: number;
          /** @description The number of requests that functions have reserved, sent or not. */
          tokensLeased?: number;
          /**
           * Format: date-time
           * @description The end of a pause of the whole registry.
           */
          pausedUntil?: string;
        };
        /** @description The running pauses of the registry and of its repositories, at most 101. */
        pauses: {
          /** @description The path of the paused repository. Absent if the whole registry is paused. */
          repository?: string;
          /** Format: date-time */
          since: string;
          /**
           * Format: date-time
           * @description The time at which Lookout sends one request again.
           */
          until: string;
          /** @description The answer of the registry. */
          detail: string;
          /**
           * Format: date-time
           * @description The end of the pause that the registry asked for, if Lookout asks again before.
           */
          askedUntil?: string;
        }[];
        /** @description The circuit breaker, which pauses requests to a failing registry. */
        breaker: {
          /**
           * @description The state of the breaker. The state is off if circuitBreaker.enabled is false.
           * @enum {string}
           */
          state: "closed" | "open" | "half-open" | "off";
          /** @description The number of consecutive failed requests, while the breaker is closed. */
          failures?: number;
          /**
           * Format: date-time
           * @description The time at which the breaker opened.
           */
          since?: string;
          /**
           * Format: date-time
           * @description The end of the pause. Absent while the breaker is half-open.
           */
          until?: string;
          lastFailure?: {
            /** Format: date-time */
            at: string;
            detail: string;
          };
        };
      }[];
    };
    /** @description Checks a registry. */
    RegistryCheckRequest: {
      /** @description The path of a repository: `shop/api`. Default: a repository that workloads subscribe to. */
      repository?: string;
    };
    /** @description The checks of one registry, for each of its entries in lookout.yaml. */
    RegistryChecks: {
      /** Format: date-time */
      at: string;
      registries: {
        /** @description The name of the checked entry, or the host without an entry in lookout.yaml. */
        name: string;
        host: string;
        /** @description The repository whose tags were requested. */
        repository: string;
        rows: {
          /** @enum {string} */
          check: "address" | "certificate" | "authentication" | "tags" | "limits" | "clock";
          /**
           * @description The result. not-checked: an earlier check failed, or Lookout can't see the answer.
           * @enum {string}
           */
          result: "ok" | "failed" | "not-checked";
          detail: string;
          /** @description The reason of a failed check. */
          reason?: components["schemas"]["Reason"];
          /** @description The keys of lookout.yaml that would change the result. */
          change?: string;
        }[];
      }[];
    };
    /** @description The fact that a registry gives no answer, or answers again. The facts come once for each outage. */
    RegistryFact: {
      /** @enum {string} */
      name: "RegistryUnreachable" | "RegistryRecovered";
      /** @description registry/since/name. A repeated fact has the same id. */
      id: string;
      /** @description The host of the registry. */
      registry: string;
      /**
       * Format: date-time
       * @description The time of the first request without an answer.
       */
      since: string;
      /** Format: date-time */
      at: string;
      /** @description The cause of the outage. */
      detail: string;
      /**
       * @description How much the fact matters, the least first.
       * @enum {string}
       */
      severity: "debug" | "info" | "notice" | "warning" | "error" | "critical" | "action";
      /**
       * @description How the update stands. `none`: the fact is about no update.
       * @enum {string}
       */
      outcome:
        | "none"
        | "waiting"
        | "in-progress"
        | "succeeded"
        | "failed"
        | "rolled-back"
        | "rollback-failed"
        | "reverted"
        | "rejected"
        | "superseded";
      /** @description The fact as one sentence of at most 250 characters. */
      text: string;
    };
    /** @description The pauses of a registry that the request ended. */
    RegistryResumed: {
      /** Format: date-time */
      at: string;
      host: string;
      /** @description The ended pauses. Empty if nothing was paused. */
      ended: {
        /** @description The path of the paused repository. Absent if the whole registry is paused. */
        repository?: string;
        /** Format: date-time */
        since: string;
        /**
         * Format: date-time
         * @description The time at which Lookout sends one request again.
         */
        until: string;
        /** @description The answer of the registry. */
        detail: string;
        /**
         * Format: date-time
         * @description The end of the pause that the registry asked for, if Lookout asks again before.
         */
        askedUntil?: string;
      }[];
      /**
       * @description half-open: the breaker was open, and the next request is a test.
       * @enum {string}
       */
      breaker: "half-open" | "unchanged";
      /** @description The number of repositories that Lookout checks now. */
      repositories: number;
    };
    /** @description Rejects an update. */
    RejectionRequest: {
      /** @description The number of the update. */
      update: number;
      /** @description The SHA-256 hash of uid, update, images and gating settings. The list of approvals shows it. */
      bindingHash: string;
      why: string;
    };
    /** @description The updates that a release lets go on, sorted by workload. */
    Release: {
      /** Format: date-time */
      at: string;
      scope: string;
      past: ("observe" | "window" | "min-age" | "tier" | "checks")[];
      /** @description True if nothing was released. */
      dryRun: boolean;
      /** @description The updates that the named gates no longer hold. Other gates may still hold them. */
      released: {
        /** @description cluster/namespace/kind/name */
        workload: string;
        seq: number;
        wants: components["schemas"]["Image"][];
        /** @description The reasons of the gates that were not released. */
        stillHeldBy: components["schemas"]["Reason"][];
      }[];
      /** @description The workloads of the scope that stay held, because Lookout still observes them. */
      observed: string[];
    };
    /** @description Lets updates pass gates, with exactly their present digests. */
    ReleaseRequest: {
      /** @description `*` for everything, `CLUSTER`, `CLUSTER/NAMESPACE`, or `cluster/namespace/kind/name`. */
      scope: string;
      /** @description The gates that no longer hold the updates: observe, or some of window, min-age, tier, checks. */
      past: string[];
      /** @description The name of the requester. Default: api. */
      by?: string;
      /** @description The reason, for the history. Only observe needs none. */
      why?: string;
      /** @description True: only list the updates. Default: false. */
      dryRun?: boolean;
    };
    /** @description The derived rows of one page of workloads, written again. */
    Repair: {
      /** Format: date-time */
      at: string;
      rows: {
        /** @description The kind of rows. */
        of: string;
        /** @description The number of compared workloads. */
        workloads: number;
        /** @description The number of workloads whose rows differed from their records. */
        repaired: number;
      }[];
      /** @description The value of `after` for the next page. Absent on the last page. */
      next?: string;
    };
    /** @description All repositories that workloads subscribe to, sorted by name. */
    Repositories: {
      /** Format: date-time */
      at: string;
      repositories: {
        /** @description The registry and the repository: `docker.io/library/nginx`. */
        imageName: string;
        /** @description The number of workloads that subscribe to the repository. */
        workloads: number;
        /** @description The number of sweeps that found a missed push. */
        eventsMissed: number;
        /**
         * Format: date-time
         * @description The minute of the next sweep. Absent before the first sweep.
         */
        nextSweepAt?: string;
        /**
         * Format: date-time
         * @description The time of the last sweep that found a missed push.
         */
        lastMissedAt?: string;
        /**
         * Format: date-time
         * @description The time of the last sweep that read all it needed.
         */
        checkedAt?: string;
        /** @description The reason why the repository could not be read, and the time of the first failure. */
        problem?: {
          /** @enum {string} */
          reason:
            | "suspended"
            | "suspended-by-person"
            | "version-kept"
            | "frozen"
            | "planned-freeze"
            | "problem-in-settings"
            | "quarantined"
            | "reverted-by-user"
            | "manifest-applied-again"
            | "pull-limited"
            | "quota-exceeded"
            | "webhook-unavailable"
            | "other-container-failed"
            | "declared-source-owns-the-image"
            | "owned-by-a-controller"
            | "workload-paused"
            | "lower-version"
            | "image-too-new"
            | "needs-approval"
            | "approval-expired"
            | "approval-rejected"
            | "approval-asked-again"
            | "approval-needs-a-digest"
            | "window-closed"
            | "blackout-active"
            | "tier-pending"
            | "tier-soaking"
            | "tier-halted"
            | "tier-unproved"
            | "tier-unread"
            | "tier-unknown"
            | "check-not-asked"
            | "check-refused"
            | "check-unanswered"
            | "check-unknown"
            | "rollout-in-progress"
            | "cluster-budget"
            | "observe"
            | "cluster-unreachable"
            | "cluster-denied"
            | "denied-by-admission"
            | "patch-invalid"
            | "other-repository"
            | "settings-changed"
            | "internal-error"
            | "superseded-by-a-newer-push"
            | "rollback-requested"
            | "version-requested"
            | "tag-skipped"
            | "changed-by-hand"
            | "unknown-update"
            | "already-runs"
            | "no-longer-wanted"
            | "workload-gone"
            | "object-recreated"
            | "container-gone"
            | "cluster-removed"
            | "not-tracked"
            | "rollout-failed"
            | "check-failed"
            | "pods-denied"
            | "rollout-timed-out"
            | "pods-run-another-digest"
            | "rollback-not-recovered"
            | "digest-blocked"
            | "digest-replaced"
            | "digest-rolled-back"
            | "digest-rejected"
            | "no-tag-fits"
            | "no-common-tag"
            | "pattern-too-slow"
            | "would-downgrade"
            | "current-tag-not-a-version"
            | "current-tag-not-comparable"
            | "no-tag-to-follow"
            | "not-an-image"
            | "platform-missing"
            | "platform-unknown"
            | "nodes-unknown"
            | "rollback-target-missing"
            | "digest-drift"
            | "tag-not-found"
            | "repository-not-found"
            | "other-registry"
            | "registry-not-allowed"
            | "registry-unreachable"
            | "registry-not-trusted"
            | "registry-clock-differs"
            | "registry-throttled"
            | "registry-circuit-open"
            | "over-budget"
            | "registry-not-asked"
            | "evaluation-failed"
            | "imported"
            | "rollback-unproved"
            | "newer-reason"
            | "registry-denied";
          sentence: string;
          /** @description The step that helps. */
          remedy: string;
          detail?: string;
          /** Format: date-time */
          until?: string;
          /** @description The member of an earlier tier that decides. Absent if none does. */
          member?: {
            tier: string;
            /** @description cluster/namespace/kind/name. Absent if your token does not cover the member. */
            workload?: string;
            /** @description What it does now, in a few words. Absent in lists, in the history, and if your token does not cover it. */
            does?: string;
            /**
             * Format: date-time
             * @description The start of what it does. Absent if that is unknown.
             */
            since?: string;
          };
          /** Format: date-time */
          since: string;
        };
      }[];
    };
    /** @description Rolls a workload back, and blocks the version it leaves. */
    RollbackRequest: {
      /** @description The version to go back to. Absent: the version before the last update. */
      to?: string;
      /** @description The container. Absent: all tracked containers of the workload's only repository. */
      container?: string;
      /** @description The name of the requester. Default: api. */
      by?: string;
      /** @description The reason, for the history. */
      why: string;
    };
    /** @description Names a version of a workload, also a lower one. */
    SetRequest: {
      /** @description A tag, a digest, or the first 12 or more digits of a digest that Lookout knows. */
      version: string;
      /** @description The container. Absent: all tracked containers of the workload's only repository. */
      container?: string;
      /** @description The name of the requester. Default: api. */
      by?: string;
      /** @description The reason, for the history. */
      why: string;
    };
    /** @description The configuration in effect. Secrets show only their sources. */
    Settings: {
      /** @description The path of the lookout.yaml in effect. Absent if there is no file. */
      file?: string;
      settings: {
        /** @description The path of the setting in lookout.yaml: `clusters[0].name`. */
        setting: string;
        /** @description The value as written in its source. For a secret: whether the secret is set. */
        value: string;
        /** @enum {string} */
        source: "flag" | "environment" | "file" | "default";
        /** @description The place of the value: the flag, the variable, or file:line:column. */
        place?: string;
      }[];
      /** @description The files that the process reads again when they change. Absent if there are none. */
      reloads?: {
        /** @enum {string} */
        part: "configuration" | "certificate";
        file: string;
        /**
         * Format: date-time
         * @description The time at which Lookout read the content in force.
         */
        loadedAt: string;
        /** @description Why the changed file is not in force. Absent if it is in force. */
        failure?: {
          /**
           * Format: date-time
           * @description The time of the first failed read.
           */
          at: string;
          detail: string;
        };
        /** @description The changed keys that need a restart. Absent if none does. */
        needsRestart?: string[];
        /** @description A problem of the content in force, for example an expired certificate. */
        doubt?: string;
        /**
         * Format: date-time
         * @description The end of the certificate in force.
         */
        expiresAt?: string;
      }[];
    };
    /** @description Lets a workload skip a tag, or ends this. */
    SkipRequest: {
      tag: string;
      /**
       * Format: date-time
       * @description The end of the skip. Absent: until a person ends it.
       */
      until?: string;
      /**
       * @description Ends the skip of the tag.
       * @constant
       */
      end?: true;
      /** @description The name of the requester. Default: api. */
      by?: string;
      /** @description The reason, for the history. */
      why: string;
    };
    /** @description A page of partitions, and the forms of their stored items. */
    StoredItems: {
      /** Format: date-time */
      at: string;
      /** @description The version of Lookout that answers. */
      version: string;
      /** @description The forms of all kinds that this Lookout writes and reads. */
      kinds: {
        /** @description The name of the kind: `freeze`. */
        kind: string;
        /** @description The form that this Lookout writes. */
        writes: number;
        /** @description The highest form that this Lookout reads. It reads all forms from 1 on. */
        reads: number;
      }[];
      /** @description The items of this page. */
      forms: {
        /** @description The name of the kind: `freeze`. */
        kind: string;
        /** @description The form. The form is 0 for an item without a form. */
        form: number;
        /** @description The number of items. Of a workload's history, only the newest 100 rows count. */
        items: number;
      }[];
      /** @description The unreadable items of this page, at most 100. */
      unreadable: {
        /** @description The name of the kind: `freeze`. */
        kind: string;
        /** @description The partition key `pk` of the item. */
        partition: string;
        /** @description The sort key `sk` of the item. */
        sortKey: string;
        /** @description The cause, after the name of the item: `is damaged: its member "by" is missing`. */
        why: string;
        /** @description The step that helps. */
        remedy: string;
      }[];
      /** @description The number of unreadable items of this page. */
      unreadableItems: number;
      /** @description The value of `after` for the next page. Absent on the last page. */
      next?: string;
    };
    /** @description The findings of a sweep, sorted by repository. */
    Sweep: {
      /** Format: date-time */
      at: string;
      repositories: {
        imageName: string;
        workloads: number;
        /** @description True if the sweep found a missed push. Lookout evaluates the push now. */
        missed: boolean;
        /** @description The reason why the registry did not answer all requests. */
        problem?: components["schemas"]["Reason"];
      }[];
      /** @description The repositories that this request did not reach in time. The schedule sweeps them later. */
      notReached: string[];
    };
    /** @description Looks for missed pushes in registries now. */
    SweepRequest: {
      /** @description The name of an image without a tag: `registry.example.com/shop/api`, `nginx`. Default: all repositories. */
      imageName?: string;
    };
    /** @description The groups of workloads that tiers update, sorted by name. */
    Tiers: {
      /** Format: date-time */
      at: string;
      /** @description The tiers of lookout.yaml, in the order of their updates. Empty: all at once. */
      tiers: string[];
      groups: {
        group: string;
        /** @description The image that is judged: the newest one that a member wants or ran. Absent if there is none. */
        image?: {
          container: string;
          tag: string;
          digest: string;
        };
        /** @description The tiers, in the order of their updates. */
        tiers: {
          tier: string;
          /** @description The number of its workloads. */
          members: number;
          /** @description The number of its workloads that ran the image. */
          at: number;
          /** @description The number of its workloads whose updates are suspended. */
          suspended: number;
          /**
           * @description done: later tiers may get the image. waiting: a member has not run it. behind: an earlier tier is not done. unproved: no member counts. unread: a cluster gives no answer. empty: it has no workload.
           * @enum {string}
           */
          state: "done" | "soaking" | "waiting" | "behind" | "halted" | "unproved" | "unread" | "empty";
          /** @description Absent if the tier waits for nothing. */
          waitsFor?: {
            /** @description The member, as cluster/namespace/kind/name. */
            workload?: string;
            /** @description The earlier tier. */
            tier?: string;
            /** @description What the member does, or what else is waited for. */
            why: string;
            /** Format: date-time */
            since?: string;
            /**
             * Format: date-time
             * @description The end of the soak.
             */
            until?: string;
          };
        }[];
        /** @description Absent unless the request names the group. */
        members?: {
          workload: string;
          tier: string;
          /** @description The running tag. Absent if the image has none. */
          tag?: string;
          /** @description The running digest. Absent if it is unknown. */
          digest?: string;
          /** @description True if it ran the image of the group. */
          ran: boolean;
          /** @description What it does now, in a few words. */
          does: string;
          /** Format: date-time */
          since?: string;
        }[];
      }[];
      /** @description The number of further groups. */
      more: number;
    };
    /** @description A personal token, without its secret. */
    Token: {
      /** @description The name of the holder. */
      name: string;
      /** @description The first twelve digits of the token's SHA-256. */
      id: string;
      /** @enum {string} */
      role: "viewer" | "approver" | "operator" | "owner";
      /** @description The clusters that the token covers. Default: all clusters. */
      clusters?: string[];
      /** @description The namespaces that the token covers. A * at the end stands for any text. Default: all namespaces. */
      namespaces?: string[];
      createdBy: string;
      /** Format: date-time */
      createdAt: string;
      /**
       * Format: date-time
       * @description Absent if the token never expires.
       */
      expiresAt?: string;
      /** Format: date-time */
      revokedAt?: string;
      /**
       * Format: date-time
       * @description The last use, exact to a day. Absent if the token was never used.
       */
      lastUsedAt?: string;
    };
    /** @description Makes a token. */
    TokenRequest: {
      /** @description The name of the holder, which appears in histories and votes. */
      name: string;
      /**
       * @description Each role has the rights of the roles before it.
       * @enum {string}
       */
      role: "viewer" | "approver" | "operator" | "owner";
      /** @description The clusters that the token covers. Default: all clusters. */
      clusters?: string[];
      /** @description The namespaces that the token covers. A * at the end stands for any text. Default: all namespaces. */
      namespaces?: string[];
      /**
       * Format: date-time
       * @description The end of the token. Absent if it never expires.
       */
      expiresAt?: string;
      /** @description The reason, for the history. */
      why?: string;
    };
    /** @description The personal tokens, sorted by name. */
    Tokens: {
      /** Format: date-time */
      at: string;
      tokens: components["schemas"]["Token"][];
    };
    /** @description A line of an export: stored items that belong together. */
    TransferRow: {
      /** @description The workload of votes and first sightings: cluster/namespace/kind/name. */
      of?: string;
      items: {
        /** @description The kind of the item: record, freeze, quarantined, …. */
        kind: string;
        /** @description The number of the form in which the value is stored. */
        form: number;
        /** @description The stored value. */
        value: unknown;
      }[];
    };
    /** @description The effect of unblocking a workload. */
    Unblock: {
      /** @description cluster/namespace/kind/name */
      workload: string;
      /** @description True if the hold has ended. */
      hold: boolean;
      /** @description The number of digests that may be tried again. */
      blocked: number;
      /** @description The digests that may be tried again. */
      digests: {
        imageName: string;
        tag: string;
        digest: string;
      }[];
      /** @description The number of rejected digests that stay blocked. Only a person who may decide can unblock them. */
      rejected: number;
      left: {
        /** @description True if the workload still has a hold. */
        hold: boolean;
        /** @description The digests that stay blocked. */
        digests: {
          imageName: string;
          tag: string;
          digest: string;
        }[];
      };
    };
    /** @description Ends the hold of a workload, and unblocks digests. The request may name one of both. */
    UnblockRequest: {
      /** @description The name of the requester. Default: api. */
      by?: string;
      /** @description Only this digest: the digest, its first 12 or more digits, or a tag that names one blocked digest. */
      digest?: string;
      /**
       * @description Only the hold.
       * @constant
       */
      hold?: true;
      /** @description The reason, for the history. */
      why?: string;
    };
    /** @description An open update, or the workload's last finished update. */
    Update: {
      /** @description cluster/namespace/kind/name */
      workload: string;
      /** @description The number of the update. Each workload counts from 1. */
      seq: number;
      /** @enum {string} */
      status:
        | "held"
        | "released"
        | "patching"
        | "rolling-out"
        | "rolling-back"
        | "succeeded"
        | "rolled-back"
        | "rollback-failed"
        | "failed"
        | "reverted"
        | "superseded"
        | "rejected";
      wants: components["schemas"]["Image"][];
      /** @description The sender of the push's notification, or the function that found the update. */
      source: string;
      /** @description The id of the push that led to the change. Absent if no push led to the change. */
      correlationId?: string;
      /** Format: date-time */
      detectedAt: string;
      /** Format: date-time */
      selectedAt: string;
      /** Format: date-time */
      patchedAt?: string;
      /** Format: date-time */
      runningSince?: string;
      /** Format: date-time */
      endedAt?: string;
      reasons: components["schemas"]["Reason"][];
      /** @description The progress or the cause of failure: `2 of 3 pods`. */
      detail?: string;
    };
    /** @description One update, with its decisions among the workload's last 1000. */
    UpdateHistory: {
      /** @description cluster/namespace/kind/name */
      workload: string;
      seq: number;
      /** @description The current state of the update. Absent if a later update has ended. */
      update?: components["schemas"]["Update"];
      /** @description The decisions about the update, the newest first. */
      decisions: {
        /** Format: date-time */
        at: string;
        /** @description The number of the update. The number is 0 before the first update. */
        seq: number;
        version: number;
        what: string;
        /** @enum {string} */
        fact:
          | "WorkloadTracked"
          | "WorkloadChanged"
          | "WorkloadUntracked"
          | "UpdateHeld"
          | "ApprovalRequested"
          | "ApprovalGiven"
          | "ApprovalRejected"
          | "ApprovalExpired"
          | "ApprovalVoided"
          | "UpdateReleased"
          | "RolloutPrepared"
          | "RolloutStarted"
          | "RolloutWaiting"
          | "WorkloadRunning"
          | "RolloutSucceeded"
          | "RolloutFailed"
          | "RollbackStarted"
          | "RolledBack"
          | "RollbackFailed"
          | "RevertedByUser"
          | "UpdateSuperseded"
          | "TierCompleted"
          | "TierHalted"
          | "HoldEnded"
          | "DigestsUnblocked"
          | "WorkloadSuspended"
          | "WorkloadResumed"
          | "VersionKept"
          | "TagSkipped"
          | "BaseImageMoved"
          | "EvidenceImported";
        images: components["schemas"]["Image"][];
        reasons: components["schemas"]["Reason"][];
        detail?: string;
        cause: string;
        /** @description The id of the push that led to the change. Absent if no push led to the change. */
        correlationId?: string;
        /**
         * @description True if an import brought the row, so nothing proves it.
         * @constant
         */
        isImported?: true;
      }[];
    };
    /** @description All open updates and the last finished update of each workload, the newest first. */
    Updates: {
      /** Format: date-time */
      at: string;
      updates: components["schemas"]["Update"][];
      /** @description The value of `after` for the next page. Absent on the last page. */
      next?: string;
    };
    /** @description A stored vote. */
    Vote: {
      /** @description cluster/namespace/kind/name */
      workload: string;
      update: number;
      /** @description The name of a person in lookout.yaml. */
      person: string;
      /** @enum {string} */
      decision: "approve" | "reject";
      /** Format: date-time */
      at: string;
      /** @description True if an earlier request stored this vote. */
      isRepeated: boolean;
    };
    /** @description The origins of the replaced and the new image. */
    WhatChanged: {
      /** @description The page with the commits between the images, or with the only known commit. Absent for other hosts. */
      url?: string;
      /** @description The origin of the replaced image. Absent if it is unknown. */
      from?: {
        /** @description The repository on a known code host: `https://github.com/acme/api`. */
        source?: string;
        /** @description The commit. */
        revision?: string;
        version?: string;
      };
      /** @description The origin of the new image. */
      to: {
        /** @description The repository on a known code host: `https://github.com/acme/api`. */
        source?: string;
        /** @description The commit. */
        revision?: string;
        version?: string;
      };
    };
    /** @description A workload, as Lookout last saw it. */
    Workload: {
      /** @description cluster/namespace/kind/name */
      workload: string;
      uid: string;
      version: number;
      /**
       * @description The state is held if an update waits, suspended while a person or an annotation suspends it, reverted after a user reverted an update, and kept while the workload keeps a version that a person requested. The state is blocked after a rollback or rejection, until a higher version runs. The state is problem if an annotation is invalid, or if a repository could not be read. The state is removed if the workload's cluster is no longer configured.
       * @enum {string}
       */
      state:
        | "up-to-date"
        | "newer-skipped"
        | "held"
        | "released"
        | "patching"
        | "rolling-out"
        | "rolling-back"
        | "suspended"
        | "reverted"
        | "kept"
        | "blocked"
        | "problem"
        | "removed";
      runs: components["schemas"]["Image"][];
      /** @description The desired images that do not run yet. */
      wants: components["schemas"]["Image"][];
      /** @description The blocked digests that the workload would get otherwise, the last blocked one first. A digest is in the list until a higher version runs. */
      blocked: {
        /** @description The containers that would get the digest if it were not blocked. */
        containers: string[];
        imageName: string;
        tag: string;
        digest: string;
        /** @description The number of the failed, replaced or rejected update. */
        seq: number;
        /** Format: date-time */
        at: string;
        /** @description The cause of the block: `failed here (rollout failed)`, `rejected by ana at …`. */
        cause: string;
        why: components["schemas"]["Reason"];
      }[];
      /** @description All closed gates and other reasons of the wait. */
      reasons: components["schemas"]["Reason"][];
      /** @description The invalid or unused annotations. */
      problems: {
        key: string;
        value: string;
        message: string;
        closes: boolean;
      }[];
      /** @description The rule by which Lookout only observes the workload: `mode: observe of cluster prod`. Absent if Lookout updates it. */
      observes?: string;
      active?: components["schemas"]["Update"];
      pending?: components["schemas"]["Update"];
      last?: components["schemas"]["Update"];
      /** Format: date-time */
      changedAt: string;
      /**
       * Format: date-time
       * @description The time of the cluster's last sync. Absent before the first sync.
       */
      lastSyncAt?: string;
      /**
       * Format: date-time
       * @description The time of the last whole check: the oldest of the cluster's last sync and the last reads of the repositories of the tracked containers. Absent if one of them was never read.
       */
      checkedAt?: string;
      /** @description The tracked containers whose repository could not be read. Absent if there are none. */
      unchecked?: {
        container: string;
        imageName: string;
        /** @description The host of the registry. */
        registry: string;
        /**
         * Format: date-time
         * @description The time of the last read of the repository. Absent if never read.
         */
        checkedAt?: string;
        /**
         * Format: date-time
         * @description The time of the first failure.
         */
        since: string;
        why: components["schemas"]["Reason"];
      }[];
    };
    /** @description A workload in a list. It may be some seconds old. */
    WorkloadRow: {
      /** @description cluster/namespace/kind/name */
      workload: string;
      /** @description Labels of the object. Absent if it has none. */
      labels?: {
        [key: string]: string;
      };
      /** @description The running images, at most 20. */
      runs: components["schemas"]["Image"][];
      /** @description The desired images that do not run yet. */
      wants: components["schemas"]["Image"][];
      /** @enum {string} */
      state:
        | "up-to-date"
        | "newer-skipped"
        | "held"
        | "released"
        | "patching"
        | "rolling-out"
        | "rolling-back"
        | "suspended"
        | "reverted"
        | "kept"
        | "blocked"
        | "problem"
        | "removed";
      /** @description The first reason of the wait. Absent if nothing waits. */
      why?: components["schemas"]["Reason"];
      /** @description The number of all reasons of the wait. */
      reasonCount: number;
      /**
       * Format: date-time
       * @description The time at which the first reason ends. Absent if no time ends it.
       */
      until?: string;
      /**
       * Format: date-time
       * @description The start of the state.
       */
      since: string;
      /** @description The version of the workload at which this row last changed. */
      version: number;
      /** @description The number of containers. Absent if `runs` has all of them. */
      containers?: number;
      /** @description The rule by which Lookout only observes the workload. */
      observes?: string;
    };
    /** @description A page of tracked workloads, and all clusters. */
    Workloads: {
      /** Format: date-time */
      at: string;
      /** @description The workloads of the page. Empty for `view=row`. */
      workloads: components["schemas"]["Workload"][];
      /** @description The rows of the page for `view=row`. Otherwise empty. */
      rows: components["schemas"]["WorkloadRow"][];
      /** @description The number of workloads that fit the query, on all pages. */
      total: number;
      /** @description The number of workloads in each state that fit the query without its `state`. */
      counts: {
        [key: string]: number;
      };
      clusters: components["schemas"]["Cluster"][];
      /** @description The workloads of this page whose record can't be read, also untracked workloads. The first page also has the other items that Lookout could not read for this answer. Absent if there are none. */
      unreadable?: {
        /** @description The kind of the stored item. */
        kind: string;
        /** @description The workload of a record. Absent for another item. */
        workload?: string;
        /** @description The cause, after the name of the item: `is damaged: its member "uid" is missing`. */
        why: string;
      }[];
      /** @description The changed files that are not in force as they are, only on the first page. Absent if there are none, and for a token with a scope. */
      reloads?: {
        /** @enum {string} */
        part: "configuration" | "certificate";
        file: string;
        /**
         * Format: date-time
         * @description The time at which Lookout read the content in force.
         */
        loadedAt: string;
        /** @description Why the changed file is not in force. Absent if it is in force. */
        failure?: {
          /**
           * Format: date-time
           * @description The time of the first failed read.
           */
          at: string;
          detail: string;
        };
        /** @description The changed keys that need a restart. Absent if none does. */
        needsRestart?: string[];
        /** @description A problem of the content in force, for example an expired certificate. */
        doubt?: string;
        /**
         * Format: date-time
         * @description The end of the certificate in force.
         */
        expiresAt?: string;
      }[];
      /** @description The value of `after` for the next page. Absent on the last page. */
      next?: string;
    };
  };
  responses: never;
  parameters: never;
  requestBodies: never;
  headers: never;
  pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
  listWorkloads: {
    parameters: {
      query?: {
        /** @description Only items of this cluster. */
        cluster?: string;
        /** @description Only items of this namespace. */
        namespace?: string;
        /** @description The maximum number of items. */
        limit?: number;
        /** @description The `next` of the previous page. */
        after?: string;
        /** @description Only workloads in one of these states, with commas between them: up-to-date, newer-skipped, held, released, patching, rolling-out, rolling-back, suspended, reverted, kept, blocked, problem, removed. */
        state?: string;
        /** @description Only workloads with an image whose name contains this text. */
        image?: string;
        /** @description Only workloads whose name contains this text. */
        q?: string;
        /** @description Only workloads with these labels, as kubectl writes them: `app=api,tier in (web,db),!canary`. */
        selector?: string;
        /** @description The order: by name, by state with those that need attention first, or by the start of the state. */
        sort?: "name" | "state" | "since";
        /** @description `row` answers with what a list shows, `whole` with all that Lookout knows. */
        view?: "row" | "whole";
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page of tracked workloads, and all clusters. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Workloads"];
        };
      };
      /** @description The request is malformed. */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The token is missing, wrong, revoked or expired. */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The caller is not authenticated, or lacks the role or the right. */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Lookout is not available now. Retry later. */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  readWorkload: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The name of the cluster in lookout.yaml. */
        cluster: string;
        /** @description The workload's namespace. */
        namespace: string;
        /** @description One of: deployment, statefulset, daemonset, cronjob, or a kind of lookout.yaml such as rollout.argoproj.io. */
        kind: string;
        /** @description The workload's name. */
        name: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A workload, as Lookout last saw it. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Workload"];
        };
      };
      /** @description The request is malformed. */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The token is missing, wrong, revoked or expired. */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The caller is not authenticated, or lacks the role or the right. */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The requested item does not exist. */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Lookout is not available now. Retry later. */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  explainWorkload: {
    parameters: {
      query?: {
        /** @description A tag that the policies judge, also if no repository has it. */
        tag?: string;
      };
      header?: never;
      path: {
        /** @description The name of the cluster in lookout.yaml. */
        cluster: string;
        /** @description The workload's namespace. */
        namespace: string;
        /** @description One of: deployment, statefulset, daemonset, cronjob, or a kind of lookout.yaml such as rollout.argoproj.io. */
        kind: string;
        /** @description The workload's name. */
        name: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The reasons why a workload runs its present images, and the conditions for other images. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Explanation"];
        };
      };
      /** @description The request is malformed. */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The token is missing, wrong, revoked or expired. */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The caller is not authenticated, or lacks the role or the right. */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The requested item does not exist. */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Lookout is not available now. Retry later. */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  readDecisions: {
    parameters: {
      query?: {
        /** @description The maximum number of items. */
        limit?: number;
        /** @description Only decisions from this time on. */
        since?: string;
      };
      header?: never;
      path: {
        /** @description The name of the cluster in lookout.yaml. */
        cluster: string;
        /** @description The workload's namespace. */
        namespace: string;
        /** @description One of: deployment, statefulset, daemonset, cronjob, or a kind of lookout.yaml such as rollout.argoproj.io. */
        kind: string;
        /** @description The workload's name. */
        name: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The history of a workload, the newest first. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Decisions"];
        };
      };
      /** @description The request is malformed. */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The token is missing, wrong, revoked or expired. */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The caller is not authenticated, or lacks the role or the right. */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The requested item does not exist. */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Lookout is not available now. Retry later. */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  readUpdate: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The name of the cluster in lookout.yaml. */
        cluster: string;
        /** @description The workload's namespace. */
        namespace: string;
        /** @description One of: deployment, statefulset, daemonset, cronjob, or a kind of lookout.yaml such as rollout.argoproj.io. */
        kind: string;
        /** @description The workload's name. */
        name: string;
        /** @description The number of an update, from 1. */
        seq: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description One update, with its decisions among the workload's last 1000. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["UpdateHistory"];
        };
      };
      /** @description The request is malformed. */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The token is missing, wrong, revoked or expired. */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The caller is not authenticated, or lacks the role or the right. */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The requested item does not exist. */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Lookout is not available now. Retry later. */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  unblockWorkload: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The name of the cluster in lookout.yaml. */
        cluster: string;
        /** @description The workload's namespace. */
        namespace: string;
        /** @description One of: deployment, statefulset, daemonset, cronjob, or a kind of lookout.yaml such as rollout.argoproj.io. */
        kind: string;
        /** @description The workload's name. */
        name: string;
      };
      cookie?: never;
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["UnblockRequest"];
      };
    };
    responses: {
      /** @description The effect of unblocking a workload. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Unblock"];
        };
      };
      /** @description The request is malformed. */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The token is missing, wrong, revoked or expired. */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The caller is not authenticated, or lacks the role or the right. */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The requested item does not exist. */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The current state does not allow the request. */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The body is over 16 KiB, or over one MiB for an import. */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Lookout is not available now. Retry later. */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  listUpdates: {
    parameters: {
      query?: {
        /** @description Only items of this cluster. */
        cluster?: string;
        /** @description Only items of this namespace. */
        namespace?: string;
        /** @description The maximum number of items. */
        limit?: number;
        /** @description The `next` of the previous page. */
        after?: string;
        /** @description Only updates in this status. */
        status?:
          | "held"
          | "released"
          | "patching"
          | "rolling-out"
          | "rolling-back"
          | "succeeded"
          | "rolled-back"
          | "rollback-failed"
          | "failed"
          | "reverted"
          | "superseded"
          | "rejected";
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description All open updates and the last finished update of each workload, the newest first. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Updates"];
        };
      };
      /** @description The request is malformed. */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The token is missing, wrong, revoked or expired. */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The caller is not authenticated, or lacks the role or the right. */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Lookout is not available now. Retry later. */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  listClusters: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description All clusters, sorted by name. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Clusters"];
        };
      };
      /** @description The token is missing, wrong, revoked or expired. */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The caller is not authenticated, or lacks the role or the right. */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Lookout is not available now. Retry later. */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  addCluster: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["ClusterRequest"];
      };
    };
    responses: {
      /** @description Lookout's access to a cluster, and the missing rights. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ClusterCheck"];
        };
      };
      /** @description The request is malformed. */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The token is missing, wrong, revoked or expired. */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The caller is not authenticated, or lacks the role or the right. */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The current state does not allow the request. */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The body is over 16 KiB, or over one MiB for an import. */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description This installation does not have the requested function. */
      501: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Lookout is not available now. Retry later. */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  readCluster: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The name of the cluster in lookout.yaml. */
        cluster: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A cluster, as of its last sync. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Cluster"];
        };
      };
      /** @description The token is missing, wrong, revoked or expired. */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The caller is not authenticated, or lacks the role or the right. */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The requested item does not exist. */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Lookout is not available now. Retry later. */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  removeCluster: {
    parameters: {
      query?: {
        /** @description The name of the requester. Default: api. */
        by?: string;
        /** @description The reason, for the history. */
        why?: string;
      };
      header?: never;
      path: {
        /** @description The name of the cluster in lookout.yaml. */
        cluster: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description All clusters, sorted by name. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Clusters"];
        };
      };
      /** @description The request is malformed. */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The token is missing, wrong, revoked or expired. */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The caller is not authenticated, or lacks the role or the right. */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The requested item does not exist. */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The current state does not allow the request. */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description This installation does not have the requested function. */
      501: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Lookout is not available now. Retry later. */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  checkCluster: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The name of the cluster in lookout.yaml. */
        cluster: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Lookout's access to a cluster, and the missing rights. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ClusterCheck"];
        };
      };
      /** @description The token is missing, wrong, revoked or expired. */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The caller is not authenticated, or lacks the role or the right. */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The requested item does not exist. */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Lookout is not available now. Retry later. */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  syncCluster: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The name of the cluster in lookout.yaml. */
        cluster: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A requested sync of a cluster, which begins now. */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ClusterSync"];
        };
      };
      /** @description The token is missing, wrong, revoked or expired. */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The caller is not authenticated, or lacks the role or the right. */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The requested item does not exist. */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Lookout is not available now. Retry later. */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  listRepositories: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description All repositories that workloads subscribe to, sorted by name. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Repositories"];
        };
      };
      /** @description The token is missing, wrong, revoked or expired. */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The caller is not authenticated, or lacks the role or the right. */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Lookout is not available now. Retry later. */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  sweepNow: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["SweepRequest"];
      };
    };
    responses: {
      /** @description The findings of a sweep, sorted by repository. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Sweep"];
        };
      };
      /** @description The request is malformed. */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The token is missing, wrong, revoked or expired. */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The caller is not authenticated, or lacks the role or the right. */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The requested item does not exist. */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The body is over 16 KiB, or over one MiB for an import. */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Lookout is not available now. Retry later. */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  listRegistries: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The registries of lookout.yaml in the order of the file, then other registries of workloads' images. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Registries"];
        };
      };
      /** @description The token is missing, wrong, revoked or expired. */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The caller is not authenticated, or lacks the role or the right. */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Lookout is not available now. Retry later. */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  checkRegistry: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The name of an entry in lookout.yaml, or a host. */
        registry: string;
      };
      cookie?: never;
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["RegistryCheckRequest"];
      };
    };
    responses: {
      /** @description The checks of one registry, for each of its entries in lookout.yaml. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["RegistryChecks"];
        };
      };
      /** @description The request is malformed. */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The token is missing, wrong, revoked or expired. */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The caller is not authenticated, or lacks the role or the right. */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The requested item does not exist. */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The current state does not allow the request. */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The body is over 16 KiB, or over one MiB for an import. */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Lookout is not available now. Retry later. */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  resumeRegistry: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The name of an entry in lookout.yaml, or a host. */
        registry: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The pauses of a registry that the request ended. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["RegistryResumed"];
        };
      };
      /** @description The request is malformed. */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The token is missing, wrong, revoked or expired. */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The caller is not authenticated, or lacks the role or the right. */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The requested item does not exist. */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Lookout is not available now. Retry later. */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  listChannels: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The channels, in the order of lookout.yaml. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Channels"];
        };
      };
      /** @description The token is missing, wrong, revoked or expired. */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The caller is not authenticated, or lacks the role or the right. */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Lookout is not available now. Retry later. */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  testChannel: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The name of the entry in lookout.yaml. */
        channel: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The answer of a channel to a harmless message. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ChannelTest"];
        };
      };
      /** @description The token is missing, wrong, revoked or expired. */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The caller is not authenticated, or lacks the role or the right. */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The requested item does not exist. */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Lookout is not available now. Retry later. */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  explainChannel: {
    parameters: {
      query: {
        /** @description The name of a fact, or the id of one. */
        fact: string;
        /** @description A workload, as cluster/namespace/kind/name. Default: that of the fact's id. */
        workload: string;
      };
      header?: never;
      path: {
        /** @description The name of the entry in lookout.yaml. */
        channel: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description What a channel does with a fact, and why. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ChannelExplanation"];
        };
      };
      /** @description The request is malformed. */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The token is missing, wrong, revoked or expired. */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The caller is not authenticated, or lacks the role or the right. */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The requested item does not exist. */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Lookout is not available now. Retry later. */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  listTiers: {
    parameters: {
      query: {
        /** @description Only this group, with its members. */
        group: string;
        /** @description Judges this tag. Default: the newest. */
        tag: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The groups of workloads that tiers update, sorted by name. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Tiers"];
        };
      };
      /** @description The request is malformed. */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The token is missing, wrong, revoked or expired. */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The caller is not authenticated, or lacks the role or the right. */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The requested item does not exist. */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Lookout is not available now. Retry later. */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  listQuarantine: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The quarantined digests, sorted. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Quarantine"];
        };
      };
      /** @description The token is missing, wrong, revoked or expired. */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The caller is not authenticated, or lacks the role or the right. */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Lookout is not available now. Retry later. */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  putInQuarantine: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["QuarantineRequest"];
      };
    };
    responses: {
      /** @description The quarantined digests, sorted. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Quarantine"];
        };
      };
      /** @description The request is malformed. */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The token is missing, wrong, revoked or expired. */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The caller is not authenticated, or lacks the role or the right. */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The body is over 16 KiB, or over one MiB for an import. */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Lookout is not available now. Retry later. */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  liftQuarantine: {
    parameters: {
      query?: {
        /** @description The name of the requester. Default: api. */
        by?: string;
        /** @description The reason, for the history. */
        why?: string;
      };
      header?: never;
      path: {
        /** @description The whole digest, with sha256: in front. */
        digest: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The quarantined digests, sorted. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Quarantine"];
        };
      };
      /** @description The request is malformed. */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The token is missing, wrong, revoked or expired. */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The caller is not authenticated, or lacks the role or the right. */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The requested item does not exist. */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Lookout is not available now. Retry later. */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  listFreezes: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The active and planned freezes, sorted by scope. A scope is `*`, `CLUSTER` or `CLUSTER/NAMESPACE`. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Freezes"];
        };
      };
      /** @description The token is missing, wrong, revoked or expired. */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The caller is not authenticated, or lacks the role or the right. */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Lookout is not available now. Retry later. */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  freeze: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["FreezeRequest"];
      };
    };
    responses: {
      /** @description The active and planned freezes, sorted by scope. A scope is `*`, `CLUSTER` or `CLUSTER/NAMESPACE`. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Freezes"];
        };
      };
      /** @description The request is malformed. */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The token is missing, wrong, revoked or expired. */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The caller is not authenticated, or lacks the role or the right. */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The requested item does not exist. */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The body is over 16 KiB, or over one MiB for an import. */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Lookout is not available now. Retry later. */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  liftFreeze: {
    parameters: {
      query?: {
        /** @description The name of the requester. Default: api. */
        by?: string;
        /** @description The reason, for the history. */
        why?: string;
      };
      header?: never;
      path: {
        /** @description The scope: *, CLUSTER or CLUSTER/NAMESPACE. The slash may be percent-encoded. */
        scope: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The active and planned freezes, sorted by scope. A scope is `*`, `CLUSTER` or `CLUSTER/NAMESPACE`. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Freezes"];
        };
      };
      /** @description The request is malformed. */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The token is missing, wrong, revoked or expired. */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The caller is not authenticated, or lacks the role or the right. */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The requested item does not exist. */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The current state does not allow the request. */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Lookout is not available now. Retry later. */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  setVersion: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The name of the cluster in lookout.yaml. */
        cluster: string;
        /** @description The workload's namespace. */
        namespace: string;
        /** @description One of: deployment, statefulset, daemonset, cronjob, or a kind of lookout.yaml such as rollout.argoproj.io. */
        kind: string;
        /** @description The workload's name. */
        name: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["SetRequest"];
      };
    };
    responses: {
      /** @description The effect of a person's request on a workload. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Control"];
        };
      };
      /** @description The request is malformed. */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The token is missing, wrong, revoked or expired. */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The caller is not authenticated, or lacks the role or the right. */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The requested item does not exist. */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The current state does not allow the request. */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The body is over 16 KiB, or over one MiB for an import. */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Lookout is not available now. Retry later. */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  rollBack: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The name of the cluster in lookout.yaml. */
        cluster: string;
        /** @description The workload's namespace. */
        namespace: string;
        /** @description One of: deployment, statefulset, daemonset, cronjob, or a kind of lookout.yaml such as rollout.argoproj.io. */
        kind: string;
        /** @description The workload's name. */
        name: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["RollbackRequest"];
      };
    };
    responses: {
      /** @description The effect of a person's request on a workload. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Control"];
        };
      };
      /** @description The request is malformed. */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The token is missing, wrong, revoked or expired. */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The caller is not authenticated, or lacks the role or the right. */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The requested item does not exist. */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The current state does not allow the request. */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The body is over 16 KiB, or over one MiB for an import. */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Lookout is not available now. Retry later. */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  skipTag: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The name of the cluster in lookout.yaml. */
        cluster: string;
        /** @description The workload's namespace. */
        namespace: string;
        /** @description One of: deployment, statefulset, daemonset, cronjob, or a kind of lookout.yaml such as rollout.argoproj.io. */
        kind: string;
        /** @description The workload's name. */
        name: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["SkipRequest"];
      };
    };
    responses: {
      /** @description The effect of a person's request on a workload. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Control"];
        };
      };
      /** @description The request is malformed. */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The token is missing, wrong, revoked or expired. */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The caller is not authenticated, or lacks the role or the right. */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The requested item does not exist. */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The current state does not allow the request. */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The body is over 16 KiB, or over one MiB for an import. */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Lookout is not available now. Retry later. */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  suspendWorkload: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The name of the cluster in lookout.yaml. */
        cluster: string;
        /** @description The workload's namespace. */
        namespace: string;
        /** @description One of: deployment, statefulset, daemonset, cronjob, or a kind of lookout.yaml such as rollout.argoproj.io. */
        kind: string;
        /** @description The workload's name. */
        name: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["ReasonedRequest"];
      };
    };
    responses: {
      /** @description The effect of a person's request on a workload. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Control"];
        };
      };
      /** @description The request is malformed. */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The token is missing, wrong, revoked or expired. */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The caller is not authenticated, or lacks the role or the right. */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The requested item does not exist. */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The current state does not allow the request. */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The body is over 16 KiB, or over one MiB for an import. */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Lookout is not available now. Retry later. */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  resumeWorkload: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The name of the cluster in lookout.yaml. */
        cluster: string;
        /** @description The workload's namespace. */
        namespace: string;
        /** @description One of: deployment, statefulset, daemonset, cronjob, or a kind of lookout.yaml such as rollout.argoproj.io. */
        kind: string;
        /** @description The workload's name. */
        name: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["ReasonedRequest"];
      };
    };
    responses: {
      /** @description The effect of a person's request on a workload. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Control"];
        };
      };
      /** @description The request is malformed. */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The token is missing, wrong, revoked or expired. */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The caller is not authenticated, or lacks the role or the right. */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The requested item does not exist. */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The current state does not allow the request. */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The body is over 16 KiB, or over one MiB for an import. */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Lookout is not available now. Retry later. */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  retryWorkload: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The name of the cluster in lookout.yaml. */
        cluster: string;
        /** @description The workload's namespace. */
        namespace: string;
        /** @description One of: deployment, statefulset, daemonset, cronjob, or a kind of lookout.yaml such as rollout.argoproj.io. */
        kind: string;
        /** @description The workload's name. */
        name: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["ReasonedRequest"];
      };
    };
    responses: {
      /** @description The effect of a person's request on a workload. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Control"];
        };
      };
      /** @description The request is malformed. */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The token is missing, wrong, revoked or expired. */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The caller is not authenticated, or lacks the role or the right. */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The requested item does not exist. */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The current state does not allow the request. */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The body is over 16 KiB, or over one MiB for an import. */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Lookout is not available now. Retry later. */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  release: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["ReleaseRequest"];
      };
    };
    responses: {
      /** @description The updates that a release lets go on, sorted by workload. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Release"];
        };
      };
      /** @description The request is malformed. */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The token is missing, wrong, revoked or expired. */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The caller is not authenticated, or lacks the role or the right. */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The requested item does not exist. */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The current state does not allow the request. */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The body is over 16 KiB, or over one MiB for an import. */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Lookout is not available now. Retry later. */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  readMe: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The identity of the caller. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Me"];
        };
      };
      /** @description The token is missing, wrong, revoked or expired. */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The caller is not authenticated, or lacks the role or the right. */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Lookout is not available now. Retry later. */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  listApprovals: {
    parameters: {
      query?: {
        /** @description Only items of this cluster. */
        cluster?: string;
        /** @description Only items of this namespace. */
        namespace?: string;
        /** @description The maximum number of items. */
        limit?: number;
        /** @description The `next` of the previous page. */
        after?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The updates that wait for approval. Updates that the caller may decide come first. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Approvals"];
        };
      };
      /** @description The request is malformed. */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The token is missing, wrong, revoked or expired. */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The caller is not authenticated, or lacks the role or the right. */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Lookout is not available now. Retry later. */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  mayVote: {
    parameters: {
      query?: {
        /** @description The decision of the vote. */
        decision?: "approve" | "reject";
        /** @description The number of the update. Default: the newest update. */
        update?: number;
      };
      header?: never;
      path: {
        /** @description The name of the cluster in lookout.yaml. */
        cluster: string;
        /** @description The workload's namespace. */
        namespace: string;
        /** @description One of: deployment, statefulset, daemonset, cronjob, or a kind of lookout.yaml such as rollout.argoproj.io. */
        kind: string;
        /** @description The workload's name. */
        name: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Whether a vote of the caller on an update would count now. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["MayVote"];
        };
      };
      /** @description The request is malformed. */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The token is missing, wrong, revoked or expired. */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The caller is not authenticated, or lacks the role or the right. */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The requested item does not exist. */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Lookout is not available now. Retry later. */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  approve: {
    parameters: {
      query?: never;
      header: {
        /** @description uid/version of the workload. The list of approvals shows both. */
        "if-match": string;
        /** @description A key of the client's choice. A repeated request has the same key. */
        "idempotency-key": string;
      };
      path: {
        /** @description The name of the cluster in lookout.yaml. */
        cluster: string;
        /** @description The workload's namespace. */
        namespace: string;
        /** @description One of: deployment, statefulset, daemonset, cronjob, or a kind of lookout.yaml such as rollout.argoproj.io. */
        kind: string;
        /** @description The workload's name. */
        name: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["ApprovalRequest"];
      };
    };
    responses: {
      /** @description A stored vote. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Vote"];
        };
      };
      /** @description The request is malformed. */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The token is missing, wrong, revoked or expired. */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The caller is not authenticated, or lacks the role or the right. */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The requested item does not exist. */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The current state does not allow the request. */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The body is over 16 KiB, or over one MiB for an import. */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Lookout is not available now. Retry later. */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  reject: {
    parameters: {
      query?: never;
      header: {
        /** @description uid/version of the workload. The list of approvals shows both. */
        "if-match": string;
        /** @description A key of the client's choice. A repeated request has the same key. */
        "idempotency-key": string;
      };
      path: {
        /** @description The name of the cluster in lookout.yaml. */
        cluster: string;
        /** @description The workload's namespace. */
        namespace: string;
        /** @description One of: deployment, statefulset, daemonset, cronjob, or a kind of lookout.yaml such as rollout.argoproj.io. */
        kind: string;
        /** @description The workload's name. */
        name: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["RejectionRequest"];
      };
    };
    responses: {
      /** @description A stored vote. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Vote"];
        };
      };
      /** @description The request is malformed. */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The token is missing, wrong, revoked or expired. */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The caller is not authenticated, or lacks the role or the right. */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The requested item does not exist. */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The current state does not allow the request. */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The body is over 16 KiB, or over one MiB for an import. */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Lookout is not available now. Retry later. */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  askForApproval: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The name of the cluster in lookout.yaml. */
        cluster: string;
        /** @description The workload's namespace. */
        namespace: string;
        /** @description One of: deployment, statefulset, daemonset, cronjob, or a kind of lookout.yaml such as rollout.argoproj.io. */
        kind: string;
        /** @description The workload's name. */
        name: string;
      };
      cookie?: never;
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["AskRequest"];
      };
    };
    responses: {
      /** @description The effect of a new request for approval. Both values are zero or false if nothing was rejected or expired. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["AskedApproval"];
        };
      };
      /** @description The request is malformed. */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The token is missing, wrong, revoked or expired. */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The caller is not authenticated, or lacks the role or the right. */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The requested item does not exist. */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The body is over 16 KiB, or over one MiB for an import. */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Lookout is not available now. Retry later. */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  listHistory: {
    parameters: {
      query?: {
        /** @description Only rows from this time on. Default: all that is kept, 400 days. */
        since?: string;
        /** @description Only rows before this time. */
        until?: string;
        /** @description Only acts of this person. */
        by?: string;
        /** @description Only this act, or this end of updates. */
        what?:
          | "approve"
          | "reject"
          | "ask-again"
          | "unblock"
          | "release"
          | "set"
          | "rollback"
          | "skip"
          | "end-skip"
          | "suspend"
          | "resume"
          | "retry"
          | "freeze"
          | "unfreeze"
          | "quarantine"
          | "lift-quarantine"
          | "create-token"
          | "revoke-token"
          | "register-cluster"
          | "remove-cluster"
          | "import"
          | "change-mode"
          | "succeeded"
          | "rolled-back"
          | "rollback-failed"
          | "failed"
          | "reverted"
          | "superseded"
          | "rejected";
        /** @description Everything about one thing: the id of an event, of a row or of a push, a whole digest, a workload, or an update as `cluster/namespace/kind/name#17`. */
        of?: string;
        /** @description Only items of this cluster. */
        cluster?: string;
        /** @description Only items of this namespace. */
        namespace?: string;
        /** @description The maximum number of items. */
        limit?: number;
        /** @description The `next` of the previous page. */
        after?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Acts of people and ended updates, the newest first. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["History"];
        };
      };
      /** @description The request is malformed. */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The token is missing, wrong, revoked or expired. */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The caller is not authenticated, or lacks the role or the right. */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The requested item does not exist. */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Lookout is not available now. Retry later. */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  listImages: {
    parameters: {
      query?: {
        /** @description Only images whose name and tag contain this text. */
        q?: string;
        /** @description Only items of this cluster. */
        cluster?: string;
        /** @description Only items of this namespace. */
        namespace?: string;
        /** @description The maximum number of items. */
        limit?: number;
        /** @description The `next` of the previous page. */
        after?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Which workload runs which image, sorted by image. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Images"];
        };
      };
      /** @description The request is malformed. */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The token is missing, wrong, revoked or expired. */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The caller is not authenticated, or lacks the role or the right. */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Lookout is not available now. Retry later. */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  readDigest: {
    parameters: {
      query?: {
        /** @description The time of `runs`. Default: now. */
        at?: string;
      };
      header?: never;
      path: {
        /** @description The digest, or its first 12 or more digits. */
        digest: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Who runs a digest, who ran it, and how it came there. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Digest"];
        };
      };
      /** @description The request is malformed. */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The token is missing, wrong, revoked or expired. */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The caller is not authenticated, or lacks the role or the right. */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The requested item does not exist. */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Lookout is not available now. Retry later. */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  repairRows: {
    parameters: {
      query?: {
        /** @description The maximum number of items. */
        limit?: number;
        /** @description The `next` of the previous page. */
        after?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The derived rows of one page of workloads, written again. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Repair"];
        };
      };
      /** @description The request is malformed. */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The token is missing, wrong, revoked or expired. */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The caller is not authenticated, or lacks the role or the right. */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Lookout is not available now. Retry later. */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  examine: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The checks of Lookout and of the systems that it uses. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Doctor"];
        };
      };
      /** @description The token is missing, wrong, revoked or expired. */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The caller is not authenticated, or lacks the role or the right. */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Lookout is not available now. Retry later. */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  examineCluster: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The name of the cluster in lookout.yaml. */
        cluster: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The result of one check. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Check"];
        };
      };
      /** @description The token is missing, wrong, revoked or expired. */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The caller is not authenticated, or lacks the role or the right. */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The requested item does not exist. */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Lookout is not available now. Retry later. */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  sendSyntheticPush: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A synthetic push that checks whether pushes arrive. */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Probe"];
        };
      };
      /** @description The token is missing, wrong, revoked or expired. */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The caller is not authenticated, or lacks the role or the right. */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Lookout is not available now. Retry later. */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  readProbe: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The id of a synthetic push. */
        probe: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A synthetic push that checks whether pushes arrive. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Probe"];
        };
      };
      /** @description The token is missing, wrong, revoked or expired. */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The caller is not authenticated, or lacks the role or the right. */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Lookout is not available now. Retry later. */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  listStoredItems: {
    parameters: {
      query?: {
        /** @description The maximum number of items. */
        limit?: number;
        /** @description The `next` of the previous page. */
        after?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page of partitions, and the forms of their stored items. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["StoredItems"];
        };
      };
      /** @description The request is malformed. */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The token is missing, wrong, revoked or expired. */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The caller is not authenticated, or lacks the role or the right. */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Lookout is not available now. Retry later. */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  exportState: {
    parameters: {
      query?: {
        /** @description The maximum number of items. */
        limit?: number;
        /** @description The `next` of the previous page. */
        after?: string;
        /** @description true if the export includes the last 1000 decisions of each workload. */
        history?: "true" | "false";
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page of the stored state of this installation. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Export"];
        };
      };
      /** @description The request is malformed. */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The token is missing, wrong, revoked or expired. */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The caller is not authenticated, or lacks the role or the right. */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Lookout is not available now. Retry later. */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  importState: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["ImportRequest"];
      };
    };
    responses: {
      /** @description The number of lines by outcome. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Import"];
        };
      };
      /** @description The request is malformed. */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The token is missing, wrong, revoked or expired. */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The caller is not authenticated, or lacks the role or the right. */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The current state does not allow the request. */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The body is over 16 KiB, or over one MiB for an import. */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Lookout is not available now. Retry later. */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  listTokens: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The personal tokens, sorted by name. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Tokens"];
        };
      };
      /** @description The token is missing, wrong, revoked or expired. */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The caller is not authenticated, or lacks the role or the right. */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description This installation does not have the requested function. */
      501: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Lookout is not available now. Retry later. */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  createToken: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["TokenRequest"];
      };
    };
    responses: {
      /** @description A new token. No other answer contains its text. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["CreatedToken"];
        };
      };
      /** @description The request is malformed. */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The token is missing, wrong, revoked or expired. */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The caller is not authenticated, or lacks the role or the right. */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The requested item does not exist. */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The current state does not allow the request. */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The body is over 16 KiB, or over one MiB for an import. */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description This installation does not have the requested function. */
      501: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Lookout is not available now. Retry later. */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  revokeToken: {
    parameters: {
      query?: {
        /** @description The name of the requester. Default: api. */
        by?: string;
        /** @description The reason, for the history. */
        why?: string;
      };
      header?: never;
      path: {
        /** @description The name or the id of the token. */
        token: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A personal token, without its secret. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Token"];
        };
      };
      /** @description The request is malformed. */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The token is missing, wrong, revoked or expired. */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The caller is not authenticated, or lacks the role or the right. */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The requested item does not exist. */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The current state does not allow the request. */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description This installation does not have the requested function. */
      501: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Lookout is not available now. Retry later. */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  readConfiguration: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The configuration in effect. Secrets show only their sources. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Settings"];
        };
      };
      /** @description The token is missing, wrong, revoked or expired. */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The caller is not authenticated, or lacks the role or the right. */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description This installation does not have the requested function. */
      501: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Lookout is not available now. Retry later. */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  followFacts: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A stream of events. The `data` of each event is a Fact or a RegistryFact. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "text/event-stream": string;
        };
      };
      /** @description The token is missing, wrong, revoked or expired. */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The caller is not authenticated, or lacks the role or the right. */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description This installation does not have the requested function. */
      501: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Lookout is not available now. Retry later. */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  backUpState: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A SQLite database, which a local Lookout can start with. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/vnd.sqlite3": string;
        };
      };
      /** @description The token is missing, wrong, revoked or expired. */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The caller is not authenticated, or lacks the role or the right. */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description This installation does not have the requested function. */
      501: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Lookout is not available now. Retry later. */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  readDocument: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description An OpenAPI document. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": {
            [key: string]: unknown;
          };
        };
      };
      /** @description The token is missing, wrong, revoked or expired. */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The caller is not authenticated, or lacks the role or the right. */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Lookout is not available now. Retry later. */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  pushToDemo: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["DemoPushRequest"];
      };
    };
    responses: {
      /** @description The pushed image. */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["DemoPush"];
        };
      };
      /** @description The request is malformed. */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The token is missing, wrong, revoked or expired. */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The caller is not authenticated, or lacks the role or the right. */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The requested item does not exist. */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The body is over 16 KiB, or over one MiB for an import. */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Lookout is not available now. Retry later. */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
}

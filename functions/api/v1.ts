/**
 * Trigger  ANY /v1/*, from people and their tools.
 * Emits    SyncCluster, SweepRepository, ImagePushed, EvaluateWorkload, Wake, AskChecks, RollOut, CheckRollout, ShowAvailable, facts.
 * Retry    The caller retries. Safe to repeat.
 */
import { serveApi } from "#runtime/api";
import { onRequest } from "#runtime/request";

export const handler = onRequest(serveApi);

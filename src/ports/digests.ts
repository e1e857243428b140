import type { DigestRun, RunImage } from "#domain/history/runs";
import type { EpochMs } from "#domain/shared/time";
import type { WorkloadRecord } from "#domain/update/state/workload";

/** An image that a container runs now. */
export interface PresentRun extends RunImage {
  readonly workload: string;
  readonly container: string;
  readonly since: EpochMs;
}

/** Which workloads run which images, and which digests they ran. Derived from records. */
export interface Digests {
  /**
   * Takes over what a version of a record shows, and writes only if the workload runs other images. A
   * repeat changes nothing. A late version adds its run, and does not hide the present images.
   */
  note(record: WorkloadRecord): Promise<void>;
  /** Returns the keys of the workloads whose present images are not those of their record. */
  differing(records: readonly WorkloadRecord[]): Promise<readonly string[]>;
  /** Makes the present images of a workload those of its record, whatever was stored. */
  renew(record: WorkloadRecord): Promise<void>;
  /** Lists the runs of a digest, sorted by workload, then by their start. */
  runsOf(digest: string): Promise<readonly DigestRun[]>;
  /** Lists what the workloads of a cluster run now, sorted by workload. */
  present(cluster: string): Promise<readonly PresentRun[]>;
}

/** A base image as Lookout saw it last. */
export interface SeenBaseImage {
  /** The image as one text: `docker.io/library/node:22`. */
  readonly image: string;
  readonly digest: string;
  /** The digests that were told, the newest last. Absent if none was. */
  readonly told?: readonly string[];
}

/** The move of a base image's tag to another digest. */
export interface BaseImageMove {
  /** The image as one text: `docker.io/library/node:22`. */
  readonly image: string;
  readonly from: string;
  readonly digest: string;
}

/** Where Lookout observed when it last looked. */
export interface KnownMode {
  /** Returns the stored text; undefined before the first look. */
  read(): Promise<string | undefined>;
  /** Replaces the stored text. */
  write(observes: string): Promise<void>;
}

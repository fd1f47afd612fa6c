/** A piece of work that takes long enough for people to ask how far it has come. */
export interface Work {
  readonly org: string;
  readonly dataset: string;
  /** How many days it is about. */
  readonly total: number;
}

/** Shows how far long work has come. */
export interface Progress {
  begin(work: Work): WorkInProgress;
}

export interface WorkInProgress {
  /** So many more days are done. */
  advance(days: number): void;
  /** The work is over, done or not. */
  end(): void;
}

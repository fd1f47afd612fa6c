/** A backfill that cannot go on: `message` and `hint` are short and hold no secret. */
export class BackfillError extends Error {
  /** What the operator can do about it. */
  readonly hint: string;

  constructor(message: string, hint: string) {
    super(message);
    this.name = 'BackfillError';
    this.hint = hint;
  }
}

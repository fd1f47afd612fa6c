import type { Person } from '../../catalog/settings.ts';
import type { FigureName } from './columns.ts';

/** One person's day, as the reader of any platform returns it. A field is undefined if it was not sent or is unusable. */
export interface PersonDay extends Readonly<Partial<Record<FigureName, number | undefined>>> {
  readonly person: Person;
  /** Whether the person counts among the active ones. */
  readonly isActive: boolean;
  /** The person's cost as the platform reports it, in its currency. */
  readonly cost?: number | undefined;
  /** The most used model and its tier. */
  readonly model?: string | undefined;
  readonly tier?: string | undefined;
  /** The most used autonomy mode. */
  readonly level?: string | undefined;
  readonly languages?: readonly string[] | undefined;
}

/** The figures that unusable fields of a person make unknown; `team`: the person's team is unknown. */
export type PersonFault = keyof PersonDay | 'team';

import type { Person } from '../../catalog/settings.ts';
import type { FigureName } from './columns.ts';

/** One person's day, as a reader of any platform has it; undefined is what was not sent or unusable. */
export interface PersonDay extends Readonly<Partial<Record<FigureName, number | undefined>>> {
  readonly person: Person;
  /** Whether the person counts among the active ones. */
  readonly isActive: boolean;
  /** What the platform reports of the person's cost, in its currency. */
  readonly cost?: number | undefined;
  /** The most used model and its tier. */
  readonly model?: string | undefined;
  readonly tier?: string | undefined;
  /** The most used autonomy mode. */
  readonly level?: string | undefined;
  readonly languages?: readonly string[] | undefined;
}

/** What unusable fields of a person make unknown; `team`: to which team the person belongs. */
export type PersonFault = keyof PersonDay | 'team';

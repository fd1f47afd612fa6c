/** A person as the platform names one. */
export interface Person {
  readonly id: string;
  /** In lower case. */
  readonly email: string | undefined;
}

/** How people may be shown and which teams they belong to, as the operator says it at one moment. */
export interface PeopleSettings {
  /** Names the way in which people are told apart, the key of hashes included: what was made in another way is not shown. */
  readonly identity: string;
  /** Names the rules by which people belong to teams: what was summed by others is asked for again. */
  readonly teamRules: string;
  /** The value of the `user` label; undefined where people are not told apart. */
  labelOf(person: Person): string | undefined;
  teamOf(person: Person): string;
}

/** The team of everybody who belongs to none. */
export const NO_TEAM = 'none';

/** Nobody is told apart, nobody belongs to a team. */
export const ANONYMOUS: PeopleSettings = {
  identity: 'none',
  teamRules: 'none',
  labelOf: () => undefined,
  teamOf: () => NO_TEAM,
};

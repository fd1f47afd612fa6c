import { dayFamily } from '../../catalog/family.ts';
import { counts, figure, parts } from '../samples.ts';
import { usersDataset } from './dataset.ts';

export const ENDPOINT = '/api/v1/analytics/users';

export const dailyUsersByPrimaryModel = dayFamily({
  name: 'agent_platform_daily_users_by_primary_model',
  help: 'People active on the newest complete UTC day, by the model that they used most and its tier.',
  labels: ['model', 'tier'],
  unit: 'people',
  source: `${ENDPOINT}: data[].primary_model, primary_model_tier`,
  aggregation: 'additive',
  samplesOf: (view, day) =>
    view.row(usersDataset, day)?.byPrimaryModel?.map(({ model, tier, people }) => ({
      labels: { model, tier },
      value: people,
    })),
});

export const dailyUsersByDelegationLevel = dayFamily({
  name: 'agent_platform_daily_users_by_delegation_level',
  help: 'People active on the newest complete UTC day, by the autonomy mode that they used most.',
  labels: ['level'],
  unit: 'people',
  source: `${ENDPOINT}: data[].delegation_level`,
  aggregation: 'additive',
  samplesOf: (view, day) => counts('level', view.row(usersDataset, day)?.byDelegationLevel),
});

export const dailyUsersByLanguage = dayFamily({
  name: 'agent_platform_daily_users_by_language',
  help: 'People active on the newest complete UTC day, by the programming language that they worked in. The sum over languages is no total: somebody with several languages is counted in each.',
  labels: ['language'],
  unit: 'people',
  source: `${ENDPOINT}: data[].languages[]`,
  aggregation: 'distinct',
  samplesOf: (view, day) => counts('language', view.row(usersDataset, day)?.byLanguage),
});

export const dailyCreditsPerUser = dayFamily({
  name: 'agent_platform_daily_credits_per_user',
  help: 'Standard Credits that one active person consumed on the newest complete UTC day: quantiles from 5 active people on, p99 and max from 10 on. A sum over stat means nothing.',
  labels: ['stat'],
  unit: 'credits',
  source: `${ENDPOINT}: data[].billable_tokens`,
  aggregation: 'ratio',
  samplesOf(view, day) {
    const { p50, p90, p99, max } = view.row(usersDataset, day)?.perUser ?? {};
    return parts('stat', { p50, p90, p99, max });
  },
});

export const dailyCreditsTopUsersRatio = dayFamily({
  name: 'agent_platform_daily_credits_top_users_ratio',
  help: 'Share of the Standard Credits of the newest complete UTC day that the tenth of the active people consumed who consumed most; from 50 active people on.',
  labels: [],
  unit: 'ratio',
  source: `${ENDPOINT}: data[].billable_tokens`,
  aggregation: 'ratio',
  samplesOf: (view, day) => figure(view.row(usersDataset, day)?.perUser?.topRatio),
});

/** What is told of the people as a whole. */
export const groupFamilies = [
  dailyUsersByPrimaryModel,
  dailyUsersByDelegationLevel,
  dailyUsersByLanguage,
  dailyCreditsPerUser,
  dailyCreditsTopUsersRatio,
] as const;

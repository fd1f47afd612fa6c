/** A day's row of the API. */
export type Row = Readonly<Record<string, unknown>>;

/** A panel's query, and the API's figures that it must show on a day, by label values. */
interface Bars {
  readonly where: string;
  readonly dataset: 'tokens' | 'tools' | 'activity' | 'productivity';
  figures(rows: readonly Row[]): Readonly<Record<string, number>>;
}

/** The sum of a field over the organizations. */
function field(name: string): Bars['figures'] {
  return (rows) => ({ '': rows.reduce((sum, row) => sum + Number(row[name] ?? 0), 0) });
}

/** The sums of a list's entries by their identifying member. */
function list(name: string, by: readonly string[], value: string): Bars['figures'] {
  return (rows) => {
    const found: Record<string, number> = {};
    for (const entry of rows.flatMap((row) => (Array.isArray(row[name]) ? row[name] : []))) {
      const key = by
        .map((label) => String(entry[label]))
        .sort()
        .join(' ');
      found[key] = (found[key] ?? 0) + Number(entry[value]);
    }
    return found;
  };
}

/** The sums of an object's members, over the organizations. */
function members(name: string): Bars['figures'] {
  return (rows) => {
    const found: Record<string, number> = {};
    for (const row of rows)
      for (const [key, value] of Object.entries((row[name] ?? {}) as Record<string, number>))
        found[key] = (found[key] ?? 0) + value;
    return found;
  };
}

/** The queries that are compared with the API, day by day. */
export const bars: readonly Bars[] = [
  { where: 'credits.json “Credits by day” A', dataset: 'tokens', figures: field('billable_tokens') },
  {
    where: 'credits.json “Models by credits” A',
    dataset: 'tokens',
    figures: list('by_model', ['model_id', 'model_tier'], 'billable_tokens'),
  },
  {
    where: 'credits.json “Tokens by kind” A',
    dataset: 'tokens',
    figures: (rows) => ({
      input: field('input_tokens')(rows)[''] ?? 0,
      output: field('output_tokens')(rows)[''] ?? 0,
      cache_read: field('cache_read_tokens')(rows)[''] ?? 0,
      cache_write: field('cache_write_tokens')(rows)[''] ?? 0,
    }),
  },
  {
    where: 'credits.json “Models by input tokens” A',
    dataset: 'tokens',
    figures: list('by_model', ['model_id'], 'input_tokens'),
  },
  { where: 'usage.json “Tool calls by day” A', dataset: 'tools', figures: field('tool_calls') },
  { where: 'usage.json “Uses by day” A', dataset: 'tools', figures: field('hooks_invocations') },
  { where: 'usage.json “Skills” A', dataset: 'tools', figures: list('skills_by_name', ['name'], 'count') },
  {
    where: 'adoption.json “Daily, weekly and monthly active people” D',
    dataset: 'activity',
    figures: field('daily_active_users'),
  },
  { where: 'adoption.json “Sessions by day” A', dataset: 'activity', figures: field('sessions') },
  {
    where: 'adoption.json “Active people by client” A',
    dataset: 'activity',
    figures: members('daily_active_users_by_client'),
  },
  {
    where: 'usage.json “Commits and pull requests by day” A',
    dataset: 'productivity',
    figures: field('git_commits'),
  },
  {
    where: 'usage.json “Commits and pull requests by day” B',
    dataset: 'productivity',
    figures: field('git_prs_created'),
  },
  {
    where: 'usage.json “Languages” A',
    dataset: 'productivity',
    figures: list('by_language', ['language'], 'count'),
  },
];

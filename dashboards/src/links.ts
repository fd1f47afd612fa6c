/** The titles and uids of the dashboards, for links and bookmarks. */
export const links = {
  overview: { uid: 'ape-overview', title: 'Agent platform / Overview' },
  credits: { uid: 'ape-credits', title: 'Agent platform / Credits & budget' },
  adoption: { uid: 'ape-adoption', title: 'Agent platform / Adoption' },
  tools: { uid: 'ape-tools', title: 'Agent platform / Tools & autonomy' },
  productivity: { uid: 'ape-productivity', title: 'Agent platform / Productivity' },
  readiness: { uid: 'ape-readiness', title: 'Agent platform / Readiness' },
  users: { uid: 'ape-users', title: 'Agent platform / Users & teams' },
  live: { uid: 'ape-live', title: 'Agent platform / Live sessions' },
  health: { uid: 'ape-health', title: 'Agent platform / Exporter health' },
} as const;

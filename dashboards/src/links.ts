/** The titles and uids of the dashboards, for links and bookmarks. */
export const links = {
  overview: { uid: 'ape-overview', title: 'Agent platform / Overview' },
  credits: { uid: 'ape-credits', title: 'Agent platform / Credits & cost' },
  adoption: { uid: 'ape-adoption', title: 'Agent platform / Adoption' },
  usage: { uid: 'ape-usage', title: 'Agent platform / Usage' },
  readiness: { uid: 'ape-readiness', title: 'Agent platform / Readiness' },
  users: { uid: 'ape-users', title: 'Agent platform / People & teams' },
  health: { uid: 'ape-health', title: 'Agent platform / Exporter health' },
} as const;

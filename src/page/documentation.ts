/** The published documentation; generated from project.json. */
export const documentationUrl =
  'https://forge.example.com/agent-platform-exporter/agent-platform-exporter/blob/main/docs';

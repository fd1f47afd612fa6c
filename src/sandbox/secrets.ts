/**
 * Texts that look like credentials, placed where customers leave theirs: hook command lines and repository URLs. A
 * client that shows one of them anywhere has a leak.
 */
export const plantedSecrets = {
  hookToken: 'planted-hook-token-5f1c09',
  hookPassword: 'planted-hook-password-e77a',
  repositoryToken: 'planted-repository-token-90ab',
} as const;

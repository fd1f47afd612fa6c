import { mix, textSeed } from '../random.ts';

export interface Criterion {
  readonly id: string;
  readonly seed: number;
  /** Evaluated once per application, or once for the repository. */
  readonly scope: 'application' | 'repository';
  /** The first client release, counted from 0, that knows the criterion. */
  readonly since: number;
  readonly until: number;
}

const perApplication = [
  'lint_config',
  'type_check',
  'formatter',
  'strict_typing',
  'dead_code_detection',
  'unit_tests_exist',
  'integration_tests_exist',
  'test_coverage_thresholds',
  'api_schema_docs',
  'structured_logging',
  'distributed_tracing',
  'metrics_collection',
  'code_complexity_limits',
  'duplicate_code_detection',
  'naming_conventions',
  'test_naming',
  'test_isolation',
  'flaky_test_detection',
  'test_performance_tracking',
  'health_checks',
  'error_tracking',
  'profiling',
  'product_analytics',
  'dead_feature_flags',
  'database_schema_docs',
  'circuit_breakers',
  'log_scrubbing',
  'privacy_compliance',
  'heavy_dependency_detection',
  'n_plus_one_detection',
  'unused_dependencies',
  'module_boundaries',
  'api_contract_tests',
  'accessibility_checks',
  'bundle_size_budget',
] as const;

const perRepository = [
  'pre_commit_hooks',
  'build_cmd_doc',
  'deps_pinned',
  'automated_pr_review',
  'single_command_setup',
  'agents_md',
  'readme',
  'devcontainer',
  'env_template',
  'alerting_configured',
  'branch_protection',
  'secret_scanning',
  'codeowners',
  'dependency_update_automation',
  'issue_templates',
  'pr_templates',
  'ci_pipeline',
  'fast_ci_feedback',
  'build_performance_tracking',
  'deployment_frequency',
  'release_notes_automation',
  'release_automation',
  'runbooks',
  'service_architecture_docs',
  'agents_md_freshness',
  'automated_doc_generation',
  'skills_configured',
  'local_services',
  'devcontainer_runs',
  'vulnerability_scanning',
  'gitignore_comprehensive',
  'license',
  'issue_labels',
  'backlog_health',
  'feature_flags',
  'progressive_rollout',
  'rollback_automation',
  'monorepo_tooling',
  'version_drift_detection',
  'large_file_detection',
  'tech_debt_tracking',
  'cyclic_import_detection',
  'dast_scanning',
  'pii_handling',
  'security_review_automation',
  'contribution_guide',
  'changelog',
  'reproducible_builds',
  'mcp_configured',
] as const;

/** Criteria that a later client no longer evaluates, by its release. */
const retired: Readonly<Record<string, number>> = {
  test_naming: 9,
  large_file_detection: 9,
  dead_feature_flags: 15,
};

/** Criteria that were added later, one with each release. */
const added: readonly string[] = [
  'mcp_configured',
  'reproducible_builds',
  'changelog',
  'bundle_size_budget',
  'accessibility_checks',
  'contribution_guide',
  'api_contract_tests',
  'security_review_automation',
  'module_boundaries',
  'pii_handling',
  'unused_dependencies',
  'dast_scanning',
  'cyclic_import_detection',
  'n_plus_one_detection',
  'tech_debt_tracking',
  'heavy_dependency_detection',
  'version_drift_detection',
  'privacy_compliance',
  'monorepo_tooling',
  'log_scrubbing',
];

/** Every criterion of any client release. */
const criteria: readonly Criterion[] = [
  ...perApplication.map((id) => criterion(id, 'application')),
  ...perRepository.map((id) => criterion(id, 'repository')),
];

/** The criteria of a client release, between 60 and 84 of them. */
export function criteriaOf(release: number): readonly Criterion[] {
  return criteria.filter(({ since, until }) => since <= release && release < until);
}

/** The version text of a client release; there is a release every two weeks. */
export function clientVersion(release: number): string {
  return `0.${56 + Math.floor(release / 3)}.${(release % 3) + (mix(release, 7) % 2)}`;
}

function criterion(id: string, scope: Criterion['scope']): Criterion {
  return {
    id,
    seed: textSeed(id),
    scope,
    since: added.includes(id) ? added.indexOf(id) + 1 : 0,
    until: retired[id] ?? Number.POSITIVE_INFINITY,
  };
}

import { describe, expect, test } from 'vitest';
import { toolsCollector } from '../../../src/collectors/tools/collector.ts';
import { DAY, exposedDay, fetchRows } from '../fakes.ts';

describe('tools', () => {
  test('become calls, invocations, people and ratios', async () => {
    const lines = await exposedDay(toolsCollector, {
      date: DAY,
      tool_calls: 10,
      by_tool: [
        { tool: 'Read', invocations: 6 },
        { tool: 'Edit', invocations: 3 },
        { tool: 'Read', invocations: 1 },
      ],
      mcp_users_with_mcp: 2,
      mcp_by_server: [{ server: 'linear', invocations: 5 }],
      skills_invocations: 3,
      skills_by_name: [{ name: 'review', count: 3 }],
      slash_commands_invocations: 4,
      slash_commands_by_name: [{ name: '/help', count: 4 }],
      hooks_invocations: 9,
      hooks_by_event: [{ event: 'Stop', matcher: '*', command: 'notify', count: 9 }],
      web_users: 1,
      autonomy_ratio_avg: 4.5,
      autonomy_ratio_p50: 4,
      autonomy_ratio_p90: 9,
      tool_calls_per_session_avg: 12.5,
      user_turns_per_session_avg: 3,
      tool_autonomy_level_ratio: { manual: 0.25, auto_high: 0.5, auto_spec: 0.25 },
    });
    expect(lines).toEqual([
      'daily_tool_calls 10',
      'daily_tool_calls_by_tool{tool="Edit"} 3',
      'daily_tool_calls_by_tool{tool="Read"} 7',
      'daily_mcp_users 2',
      'daily_mcp_calls_by_server{server="linear"} 5',
      'daily_skill_invocations 3',
      'daily_skill_invocations_by_skill{skill="review"} 3',
      'daily_slash_command_invocations 4',
      'daily_slash_command_invocations_by_command{command="/help"} 4',
      'daily_hook_invocations 9',
      'daily_hook_invocations_by_event{event="Stop",matcher="*"} 9',
      'daily_web_users 1',
      'daily_autonomy_ratio{stat="avg"} 4.5',
      'daily_autonomy_ratio{stat="p50"} 4',
      'daily_autonomy_ratio{stat="p90"} 9',
      'daily_tool_calls_per_session 12.5',
      'daily_user_turns_per_session 3',
      'daily_autonomy_level_ratio{level="auto_high"} 0.5',
      'daily_autonomy_level_ratio{level="auto_spec"} 0.25',
      'daily_autonomy_level_ratio{level="manual"} 0.25',
    ]);
  });

  test('sum MCP servers whatever their letter case', async () => {
    const servers = ['Linear', 'LINEAR', 'linear', 'GitHub'];
    const lines = await exposedDay(toolsCollector, {
      date: DAY,
      mcp_by_server: servers.map((server) => ({ server, invocations: 2 })),
    });
    expect(lines).toEqual([
      'daily_mcp_calls_by_server{server="github"} 2',
      'daily_mcp_calls_by_server{server="linear"} 6',
    ]);
  });

  test('sum hooks by event and matcher and never keep a command line', async () => {
    const hooks = [
      { event: 'Stop', matcher: 'Edit', command: 'curl -H secret', count: 1 },
      { event: 'Stop', matcher: 'Edit', command: 'other', count: 2 },
      { event: 'Stop', command: 'third', count: 4 },
      { event: 'Stop', matcher: null, command: 'fourth', count: 8 },
    ];
    const { rows } = await fetchRows(toolsCollector, [{ date: DAY, hooks_by_event: hooks }]);
    expect(rows.get(DAY)?.byHook).toEqual([
      { event: 'Stop', matcher: '', count: 12 },
      { event: 'Stop', matcher: 'Edit', count: 3 },
    ]);
    expect(JSON.stringify([...rows])).not.toMatch(/curl|secret|other|third|fourth/);
  });

  test('sum invalid tool names into invalid, and store nothing of them', async () => {
    const tools = ['Read', 'Read\n', 'Apply Patch', 'Edit\u0000', '\u001b[0mEdit', '', 'x'.repeat(129)];
    const { rows } = await fetchRows(toolsCollector, [
      { date: DAY, by_tool: tools.map((tool) => ({ tool, invocations: 1 })) },
    ]);
    expect(rows.get(DAY)?.byTool).toEqual([
      { name: 'Apply Patch', count: 1 },
      { name: 'Read', count: 1 },
      { name: 'invalid', count: 5 },
    ]);
  });

  test('accept a level of any name, and no level that is not a number', async () => {
    const levels = JSON.parse('{"__proto__": 0.5, "manual": null, "auto_low": "x"}');
    const row = { date: DAY, tool_autonomy_level_ratio: levels };
    expect(await exposedDay(toolsCollector, row)).toEqual([
      'daily_autonomy_level_ratio{level="__proto__"} 0.5',
    ]);
  });
});

describe('a tool name', () => {
  async function shown(tool: string): Promise<string | undefined> {
    const { rows } = await fetchRows(toolsCollector, [{ date: DAY, by_tool: [{ tool, invocations: 1 }] }]);
    return rows.get(DAY)?.byTool?.[0]?.name;
  }

  test.each([
    'Read',
    'Apply Patch',
    'mcp__github__get_issue',
    'mcp__my-server__a.b',
    'ns:tool/x@1',
    'Read(x), Edit',
    'Größe',
    '読む',
    'x'.repeat(128),
    '🛠'.repeat(128),
  ])('may be %s', async (name) => {
    expect(await shown(name)).toBe(name);
  });

  test.each([
    '',
    ' ',
    '\t',
    'Read\u0000',
    'Read\n',
    'Re\u0085ad',
    '\u007fRead',
    'x'.repeat(129),
    '🛠'.repeat(129),
  ])('cannot be %j', async (name) => {
    expect(await shown(name)).toBe('invalid');
  });

  test('with invisible characters is shown with them, and stays another name', async () => {
    expect(await shown('Read\u200b')).toMatch(/^Read\ufffd~[0-9a-f]{8}$/);
  });
});

import type { Dashboard } from './dashboard.ts';
import { quantile, rate } from './quantile.ts';

/** Rate, errors and duration of the MCP server, by domain of the tools. */
export const MCP: Dashboard = {
  name: 'mcp',
  title: 'Outrider / MCP server',
  description: 'Rate, errors, duration of tool calls by domain; limits; the processes themselves.',
  variables: [{ name: 'domain', label: 'Domain', query: 'label_values(outrider_mcp_tool_calls_total, tool_domain)' }],
  rows: [
    {
      title: 'All domains',
      panels: [
        {
          title: 'Calls',
          description: 'Calls per second by domain of the tool.',
          unit: 'reqps',
          queries: [[rate('outrider_mcp_tool_calls_total', ['tool_domain']), '{{tool_domain}}']],
        },
        {
          title: 'Faults',
          description: 'Calls per second that failed on our side; the log has each under its request id.',
          unit: 'reqps',
          queries: [[rate('outrider_mcp_tool_calls_total', ['tool_domain'], '{result="fault"}'), '{{tool_domain}}']],
        },
        {
          title: 'Duration by category',
          description: 'From the authenticated request to its answer.',
          unit: 's',
          queries: [
            [quantile(0.5, 'outrider_mcp_tool_duration_seconds', ['category']), '{{category}} p50'],
            [quantile(0.99, 'outrider_mcp_tool_duration_seconds', ['category']), '{{category}} p99'],
          ],
        },
      ],
    },
    {
      title: 'Domain $domain',
      panels: [
        {
          title: 'Calls by result',
          description: 'Calls per second of the chosen domain.',
          unit: 'reqps',
          queries: [[rate('outrider_mcp_tool_calls_total', ['result'], '{tool_domain="$domain"}'), '{{result}}']],
        },
        {
          title: 'Share of faults',
          description: 'Of the calls of the chosen domain.',
          unit: 'percentunit',
          queries: [
            [
              `${rate('outrider_mcp_tool_calls_total', [], '{tool_domain="$domain",result="fault"}')} / ${rate('outrider_mcp_tool_calls_total', [], '{tool_domain="$domain"}')}`,
              'faults',
            ],
          ],
        },
      ],
    },
    {
      title: 'Limits and access',
      panels: [
        {
          title: 'Refused by a limit',
          description: 'Calls per second; a key that is refused for long needs a higher limit or a slower client.',
          unit: 'reqps',
          queries: [[rate('outrider_rate_limit_rejections_total', ['category']), '{{category}}']],
        },
        {
          title: 'Limits per minute and key',
          description: 'As configured; a workspace may have lower ones.',
          unit: 'short',
          queries: [['max by (category) (outrider_rate_limit_limit)', '{{category}}']],
        },
        {
          title: 'Requests without a valid key',
          description: 'A steady rate is a client with an old key; a peak may be somebody who guesses.',
          unit: 'reqps',
          queries: [[rate('outrider_mcp_authentication_failures_total'), 'failures']],
        },
        {
          title: 'Open event streams',
          description: 'Connections that wait for notifications, by replica.',
          unit: 'short',
          queries: [['outrider_mcp_open_streams', '{{instance}}']],
        },
      ],
    },
    {
      title: 'Deliveries of events',
      panels: [
        {
          title: 'Tries by result',
          description:
            'Webhooks and chats. retried: the receiver did not take it and gets it again; failed: for good, and its endpoint is paused.',
          unit: 'ops',
          queries: [[rate('outrider_deliveries_total', ['channel', 'result']), '{{channel}} {{result}}']],
        },
        {
          title: 'Duration of a try',
          description: 'Until the receiver answered; it has ten seconds.',
          unit: 's',
          queries: [
            [quantile(0.5, 'outrider_delivery_duration_seconds', ['channel']), '{{channel}} p50'],
            [quantile(0.99, 'outrider_delivery_duration_seconds', ['channel']), '{{channel}} p99'],
          ],
        },
        {
          title: 'Waiting and under way',
          description: 'What failing receivers did not take waits as well; 128 tries a replica are under way at most.',
          unit: 'short',
          queries: [
            ['max(outrider_deliveries_waiting)', 'waiting'],
            ['sum(outrider_deliveries_in_flight)', 'under way'],
            ['max(outrider_endpoints_paused)', 'paused endpoints'],
          ],
        },
        {
          title: 'Oldest that is due',
          description: 'Of endpoints that refuse nothing: above minutes, no server sends.',
          unit: 's',
          queries: [['max(outrider_deliveries_oldest_seconds)', 'oldest']],
        },
      ],
    },
    {
      title: 'Processes',
      panels: [
        {
          title: 'CPU',
          description: 'Cores in use by replica; one process uses little more than one.',
          unit: 'short',
          queries: [['rate(process_cpu_seconds_total{component="mcp-server"}[$__rate_interval])', '{{instance}}']],
        },
        {
          title: 'Resident memory',
          description: 'By replica.',
          unit: 'bytes',
          queries: [['process_resident_memory_bytes{component="mcp-server"}', '{{instance}}']],
        },
        {
          title: 'Event loop lag p99',
          description: 'How long work waits for the one thread; above 0.1 s add replicas.',
          unit: 's',
          queries: [['nodejs_eventloop_lag_p99_seconds{component="mcp-server"}', '{{instance}}']],
        },
      ],
    },
  ],
};

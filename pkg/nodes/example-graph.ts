import type { GraphInput } from './compile-graph.ts';

/** The catalog's exampleGraph. Copied as it is into svc_create_workflow it is accepted, and a test runs it. */
export const EXAMPLE_GRAPH: GraphInput = {
  nodes: [
    { nodeType: 'source:campaign_pool', label: 'Pool', config: { scoreMin: 50, maxPerDay: 25 } },
    { nodeType: 'network:profile_view', label: 'View profile', config: {} },
    { nodeType: 'flow:wait', label: 'Wait a day', config: { waitType: 'duration', durationMs: 86_400_000 } },
    {
      nodeType: 'network:connection_request',
      label: 'Connect',
      config: {
        noteMode: 'static',
        noteTemplate: 'Hi {{lead:firstName}}, I follow what {{lead:company|your team}} does and would like to connect.',
      },
    },
    { nodeType: 'network:wait_connection', label: 'Accepted?', config: { timeoutMs: 1_209_600_000 } },
    { nodeType: 'ai:craft', label: 'opener', config: { channel: 'message', requireFacts: 1 } },
    { nodeType: 'flow:review', label: 'Human check', config: { expiresAfterMs: 259_200_000, onExpire: 'stop' } },
    { nodeType: 'network:message', label: 'First message', config: { textMode: 'craft', text: '{{craft:opener}}' } },
    { nodeType: 'network:withdraw_request', label: 'Withdraw', config: { olderThanDays: 14 } },
    { nodeType: 'flow:end', label: 'End', config: {} },
  ],
  edges: [
    { sourceIndex: 0, targetIndex: 1 },
    { sourceIndex: 1, targetIndex: 2 },
    { sourceIndex: 2, targetIndex: 3 },
    { sourceIndex: 3, targetIndex: 4 },
    { sourceIndex: 3, targetIndex: 5, branch: 'already_connected' },
    { sourceIndex: 4, targetIndex: 5, branch: 'accepted' },
    { sourceIndex: 4, targetIndex: 8, branch: 'timed_out' },
    { sourceIndex: 5, targetIndex: 6 },
    { sourceIndex: 6, targetIndex: 7, branch: 'approved' },
    { sourceIndex: 7, targetIndex: 9 },
    { sourceIndex: 8, targetIndex: 9 },
  ],
};

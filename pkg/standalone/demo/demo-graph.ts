/** The demo's workflow: view, ask to connect, a split of openers behind a human review, one follow-up, withdrawal. */
export const DEMO_GRAPH = {
  nodes: [
    { nodeId: 'pool', nodeType: 'source:campaign_pool', label: 'Pool', config: { scoreMin: 50, maxPerDay: 25 } },
    { nodeId: 'view', nodeType: 'network:profile_view', label: 'View profile', config: {} },
    {
      nodeId: 'wait-a-day',
      nodeType: 'flow:wait',
      label: 'Wait a day',
      config: { waitType: 'duration', durationMs: 86_400_000 },
    },
    {
      nodeId: 'connect',
      nodeType: 'network:connection_request',
      label: 'Connect',
      config: {
        noteMode: 'static',
        noteTemplate:
          'Hi {{lead:firstName|there}}, I follow what {{lead:company|your team}} does and would like to connect.',
      },
    },
    {
      nodeId: 'accepted',
      nodeType: 'network:wait_connection',
      label: 'Accepted?',
      config: { timeoutMs: 1_209_600_000 },
    },
    {
      nodeId: 'opener',
      nodeType: 'flow:split',
      label: 'Opener',
      config: {
        branches: [
          { name: 'question', weight: 1 },
          { name: 'offer', weight: 1 },
        ],
      },
    },
    {
      nodeId: 'check-question',
      nodeType: 'flow:review',
      label: 'Human check',
      config: { expiresAfterMs: 259_200_000 },
    },
    {
      nodeId: 'question',
      nodeType: 'network:message',
      label: 'Question',
      config: {
        textMode: 'static',
        text: 'Thanks for connecting, {{lead:firstName|hello}}. How does {{lead:company|your team}} plan its outreach today?',
      },
    },
    {
      nodeId: 'check-offer',
      nodeType: 'flow:review',
      label: 'Human check of the offer',
      config: { expiresAfterMs: 259_200_000 },
    },
    {
      nodeId: 'offer',
      nodeType: 'network:message',
      label: 'Offer',
      config: {
        textMode: 'static',
        text: 'Thanks for connecting, {{lead:firstName|hello}}. May I send you two pages on how teams like {{lead:company|yours}} plan their outreach?',
      },
    },
    { nodeId: 'reply', nodeType: 'network:wait_reply', label: 'Reply?', config: { timeoutMs: 432_000_000 } },
    {
      nodeId: 'follow-up',
      nodeType: 'network:message',
      label: 'Follow up',
      config: {
        textMode: 'static',
        text: 'Just a short follow-up, {{lead:firstName|hello}}: is this a topic for you this quarter?',
      },
    },
    { nodeId: 'tag', nodeType: 'lead:tag', label: 'Tag as answered', config: { add: ['answered'] } },
    { nodeId: 'withdraw', nodeType: 'network:withdraw_request', label: 'Withdraw', config: { olderThanDays: 14 } },
    { nodeId: 'end', nodeType: 'flow:end', label: 'End', config: {} },
  ],
  edges: [
    { sourceIndex: 0, targetIndex: 1 },
    { sourceIndex: 1, targetIndex: 2 },
    { sourceIndex: 2, targetIndex: 3 },
    { sourceIndex: 3, targetIndex: 4 },
    { sourceIndex: 3, targetIndex: 5, branch: 'already_connected' },
    { sourceIndex: 4, targetIndex: 5, branch: 'accepted' },
    { sourceIndex: 4, targetIndex: 13, branch: 'timed_out' },
    { sourceIndex: 5, targetIndex: 6, branch: 'question' },
    { sourceIndex: 5, targetIndex: 8, branch: 'offer' },
    { sourceIndex: 6, targetIndex: 7, branch: 'approved' },
    { sourceIndex: 8, targetIndex: 9, branch: 'approved' },
    { sourceIndex: 7, targetIndex: 10 },
    { sourceIndex: 9, targetIndex: 10 },
    { sourceIndex: 10, targetIndex: 11, branch: 'timed_out' },
    { sourceIndex: 10, targetIndex: 12, branch: 'replied' },
    { sourceIndex: 11, targetIndex: 14 },
    { sourceIndex: 12, targetIndex: 14 },
    { sourceIndex: 13, targetIndex: 14 },
  ],
};

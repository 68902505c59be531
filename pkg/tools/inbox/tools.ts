import { getUnreadCounts } from './get-unread-counts.ts';
import { listConversations } from './list-conversations.ts';
import { listMessages } from './list-messages.ts';
import { markConversationRead } from './mark-conversation-read.ts';
import { refreshInbox } from './refresh-inbox.ts';
import { sendMessage } from './send-message.ts';

export const inboxTools = [
  listConversations,
  listMessages,
  getUnreadCounts,
  markConversationRead,
  refreshInbox,
  sendMessage,
];

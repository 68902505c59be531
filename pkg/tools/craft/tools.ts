import { craftComment } from './craft-comment.ts';
import { craftConnectionNote } from './craft-connection-note.ts';
import { craftContentPost } from './craft-content-post.ts';
import { craftMessage } from './craft-message.ts';
import { craftReply } from './craft-reply.ts';

export const craftTools = [craftMessage, craftConnectionNote, craftReply, craftComment, craftContentPost];

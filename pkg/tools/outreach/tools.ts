import { commentOnPost } from './comment-on-post.ts';
import { followProfile } from './follow-profile.ts';
import { likePost } from './like-post.ts';
import { sendConnectionRequest } from './send-connection-request.ts';
import { sendInmail } from './send-inmail.ts';

export const outreachTools = [sendConnectionRequest, sendInmail, likePost, commentOnPost, followProfile];

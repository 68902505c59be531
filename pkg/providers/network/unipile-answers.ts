import { z } from 'zod';

/** Answers of Unipile's API v1, as far as we read them; unknown fields are ignored, null is as good as absent, wrong ones are refused. */

const text = z.string().nullish();

export const accountAnswer = z.object({
  id: z.string(),
  sources: z.array(z.object({ status: text })).nullish(),
});

export const profileAnswer = z.object({
  provider_id: z.string().min(1),
  public_identifier: text,
  first_name: text,
  last_name: text,
  headline: text,
  location: text,
  work_experience: z
    .array(z.object({ position: text, company: text, current: z.boolean().nullish(), end: text }))
    .nullish(),
  network_distance: text,
  is_relationship: z.boolean().nullish(),
  invitation: z.object({ type: text, status: text }).nullish(),
  is_open_profile: z.boolean().nullish(),
  skills: z
    .array(z.object({ name: z.string(), endorsement_id: z.number().nullish(), endorsed: z.boolean().nullish() }))
    .nullish(),
});

export const inviteAnswer = z.object({ invitation_id: z.string() });
export const chatStartedAnswer = z.object({ chat_id: text, message_id: text });
export const messageSentAnswer = z.object({ message_id: text });
export const ownProfileAnswer = z.object({ provider_id: z.string().min(1) });
export const reactionAnswer = z.object({ object: z.literal('ReactionAdded') });
export const commentAnswer = z.object({ object: z.literal('CommentSent'), comment_id: text });
export const endorseAnswer = z.object({ object: z.literal('LinkedinProfileEndorse'), endorsed: z.boolean().nullish() });

const cursor = z.string().nullish();

export const chatList = z.object({
  items: z.array(
    z.object({
      id: z.string(),
      attendee_provider_id: text,
      name: text,
      timestamp: text,
      unread_count: z.number().nullish(),
      content_type: text,
    }),
  ),
  cursor,
});

/** Of webhooks only what tells ours apart. Accounts come as ids or as objects. */
export const webhookList = z.object({
  items: z.array(
    z.object({
      id: z.string(),
      name: text,
      request_url: text,
      account_ids: z
        .array(z.union([z.string(), z.object({ id: z.string() }).transform((account) => account.id)]))
        .nullish(),
    }),
  ),
  cursor,
});

const flag = z.union([z.literal(0), z.literal(1), z.boolean()]);

export const messageList = z.object({
  items: z.array(
    z.object({
      id: z.string(),
      chat_id: z.string(),
      text,
      timestamp: z.string(),
      is_sender: flag,
      is_event: flag.nullish(),
      attachments: z.array(z.object({ file_name: text, type: text })).nullish(),
    }),
  ),
  cursor,
});

export const relationList = z.object({
  items: z.array(
    z.object({
      member_id: z.string(),
      public_identifier: text,
      first_name: text,
      last_name: text,
      headline: text,
      created_at: z.number().nullish(),
    }),
  ),
  cursor,
});

export const invitationList = z.object({
  items: z.array(
    z.object({
      id: z.string(),
      invited_user_id: text,
      invited_user_public_id: text,
      invitation_text: text,
      parsed_datetime: text,
    }),
  ),
  cursor,
});

const total = z.number().nullish();

export const ownPostAnswer = z.object({
  social_id: z.string().min(1),
  text,
  share_url: text,
  parsed_datetime: text,
  is_repost: z.boolean().nullish(),
  permissions: z.object({ can_react: z.boolean().nullish(), can_post_comments: z.boolean().nullish() }).nullish(),
  impressions_counter: total,
  reaction_counter: total,
  comment_counter: total,
  repost_counter: total,
});

export const postList = z.object({ items: z.array(ownPostAnswer), cursor });
export const postCreatedAnswer = z.object({ post_id: z.string().min(1) });

/** Reactions name their author as a record, comments by name with the details beside. */
export const engagerList = z.object({
  items: z.array(
    z.object({
      author: z.union([z.string(), z.object({ id: text })]).nullish(),
      author_details: z.object({ id: text }).nullish(),
    }),
  ),
  cursor,
});

export const postAnswer = z.object({
  social_id: z.string().min(1),
  author: z.object({ public_identifier: text, name: text, is_company: z.boolean().nullish() }).nullish(),
  permissions: z.object({ can_react: z.boolean().nullish(), can_post_comments: z.boolean().nullish() }).nullish(),
});

const person = z.object({
  id: text,
  public_identifier: text,
  profile_url: text,
  public_profile_url: text,
  name: text,
  first_name: text,
  last_name: text,
  headline: text,
  type: text,
  is_company: z.boolean().nullish(),
});
export type PersonAnswer = z.infer<typeof person>;

export const commentList = z.object({
  items: z.array(z.object({ id: z.string(), text, date: text, author: text, author_details: person.nullish() })),
  cursor,
});

export const reactionList = z.object({ items: z.array(z.object({ value: text, author: person.nullish() })), cursor });

export const companyAnswer = z.object({ id: z.string().min(1), name: text, employee_count: z.number().nullish() });

export const peopleFound = z.object({ items: z.array(person), cursor });

export const postsFound = z.object({
  items: z.array(
    z.object({
      social_id: text,
      id: text,
      text,
      share_url: text,
      parsed_datetime: text,
      is_repost: z.boolean().nullish(),
      author: person.nullish(),
    }),
  ),
  cursor,
});

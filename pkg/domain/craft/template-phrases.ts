import type { ReplyIntent } from './craft-order.ts';
import type { WritingLanguage } from './words/language-words.ts';

/** Sentences of the built-in writer in a language. */
export interface TemplatePhrases {
  greetings: readonly [string, string];
  roleAt: (role: string, company: string) => string;
  role: (role: string) => string;
  company: (company: string) => string;
  headline: (headline: string) => string;
  industry: (industry: string) => string;
  place: (place: string) => string;
  news: (news: string) => string;
  post: (sentence: string) => string;
  connect: string;
  ask: string;
  question: string;
  questionAbout: (company: string) => string;
  thanks: string;
  intents: Readonly<Record<ReplyIntent, string>>;
  readers: string;
}

export const TEMPLATE_PHRASES: Readonly<Record<WritingLanguage, TemplatePhrases>> = {
  en: {
    greetings: ['Hi', 'Hello'],
    roleAt: (role, company) => `I came across your work as ${role} at ${company}.`,
    role: (role) => `I came across your work as ${role}.`,
    company: (company) => `I follow what ${company} does.`,
    headline: (headline) => `Your headline "${headline}" caught my eye.`,
    industry: (industry) => `I work with people in ${industry}.`,
    place: (place) => `I also work with people in ${place}.`,
    news: (news) => `I saw the news: ${news}.`,
    post: (sentence) => `"${sentence}" - I like this thought.`,
    connect: 'I would like to connect.',
    ask: 'Would you be open to a short exchange about it? A no is fine too.',
    question: 'A short question',
    questionAbout: (company) => `A question about ${company}`,
    thanks: 'Thanks for your message.',
    intents: {
      answer: 'What would be most useful to know?',
      book_meeting: 'Would you be open to a short call?',
      handle_objection: 'That makes sense. What would have to be different?',
      polite_close: 'All the best, and a no is fine.',
    },
    readers: 'What do you think?',
  },
  de: {
    greetings: ['Hallo', 'Guten Tag'],
    roleAt: (role, company) => `Ihre Arbeit als ${role} bei ${company} ist mir aufgefallen.`,
    role: (role) => `Ihre Arbeit als ${role} ist mir aufgefallen.`,
    company: (company) => `Ich verfolge, was ${company} macht.`,
    headline: (headline) => `Ihr Titel „${headline}“ ist mir aufgefallen.`,
    industry: (industry) => `Ich arbeite mit Menschen im Bereich ${industry}.`,
    place: (place) => `Ich arbeite auch mit Menschen in ${place}.`,
    news: (news) => `Ich habe gelesen: ${news}.`,
    post: (sentence) => `„${sentence}“ - das gefällt mir.`,
    connect: 'Ich würde mich gern vernetzen.',
    ask: 'Wären Sie offen für einen kurzen Austausch darüber? Ein Nein ist auch in Ordnung.',
    question: 'Eine kurze Frage',
    questionAbout: (company) => `Eine Frage zu ${company}`,
    thanks: 'Danke für Ihre Nachricht.',
    intents: {
      answer: 'Was wäre für Sie hilfreich?',
      book_meeting: 'Wären Sie offen für einen kurzen Anruf?',
      handle_objection: 'Das verstehe ich. Was wäre für Sie wichtig?',
      polite_close: 'Herzliche Grüße, und ein Nein ist in Ordnung.',
    },
    readers: 'Was denken Sie darüber?',
  },
  fr: {
    greetings: ['Bonjour', 'Bonsoir'],
    roleAt: (role, company) => `Votre travail de ${role} chez ${company} m'intéresse.`,
    role: (role) => `Votre travail de ${role} m'intéresse.`,
    company: (company) => `Je suis ce que fait ${company}.`,
    headline: (headline) => `Votre titre « ${headline} » m'intéresse.`,
    industry: (industry) => `Je travaille avec des personnes de ce domaine : ${industry}.`,
    place: (place) => `Je travaille aussi avec des personnes à ${place}.`,
    news: (news) => `J'ai lu ceci : ${news}.`,
    post: (sentence) => `« ${sentence} » - cette idée m'intéresse.`,
    connect: 'Je serais ravi de vous compter dans mon réseau.',
    ask: 'Seriez-vous ouvert à un court échange ? Un non me va aussi.',
    question: 'Une courte question',
    questionAbout: (company) => `Une question sur ${company}`,
    thanks: 'Merci pour votre message.',
    intents: {
      answer: 'Que souhaitez-vous savoir ?',
      book_meeting: 'Seriez-vous ouvert à un court appel ?',
      handle_objection: 'Je comprends. Que serait utile pour vous ?',
      polite_close: 'Bien cordialement, et un non me va aussi.',
    },
    readers: "Qu'en pensez-vous ?",
  },
  es: {
    greetings: ['Hola', 'Buenos días'],
    roleAt: (role, company) => `Me llamó la atención su trabajo como ${role} en ${company}.`,
    role: (role) => `Me llamó la atención su trabajo como ${role}.`,
    company: (company) => `Sigo lo que hace ${company}.`,
    headline: (headline) => `Me llamó la atención su titular «${headline}».`,
    industry: (industry) => `Trabajo con personas de este campo: ${industry}.`,
    place: (place) => `También trabajo con personas de ${place}.`,
    news: (news) => `He leído esto: ${news}.`,
    post: (sentence) => `«${sentence}»: me gusta esta idea.`,
    connect: 'Me gustaría conectar con usted.',
    ask: '¿Le vendría bien una charla breve? Un no también me parece bien.',
    question: 'Una pregunta breve',
    questionAbout: (company) => `Una pregunta sobre ${company}`,
    thanks: 'Gracias por su mensaje.',
    intents: {
      answer: '¿Qué le gustaría saber?',
      book_meeting: '¿Le vendría bien una llamada breve?',
      handle_objection: 'Lo entiendo. ¿Qué sería útil para usted?',
      polite_close: 'Un saludo cordial, y un no me parece bien.',
    },
    readers: '¿Qué piensan de esto?',
  },
};

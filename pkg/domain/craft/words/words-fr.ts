import type { LanguageWords } from './language-words.ts';

/** French words that claim nothing. */
export const FRENCH: LanguageWords = {
  plain: `souhaitez souhaite souhaiter compter titre accroche devise un une le la les l du de des d au aux ce cet cette ces c ca cela ceci il elle ils elles on
 je j me m moi mon ma mes tu t te toi ton ta tes vous votre vos nous notre nos se s son sa ses leur leurs
 qui que qu quoi dont ou quand comment pourquoi combien quel quelle quels quelles
 et mais donc car si comme parce puisque lorsque aussi encore tres bien plutot peut-etre juste seulement simplement
 suis es est sommes etes sont etait etaient etre ai as a avons avez ont avait avoir serait seriez serais seront sera soit
 peux peut pouvez pouvons pourrais pourrait pourriez voudrais voudrait voudriez veux veut voulez aimerais aimerait aimeriez dois doit devez
 en y dans sur sous chez avec sans pour par entre vers depuis pendant a afin lors
 ne n pas plus moins non oui trop assez peu beaucoup autre autres meme memes tout toute tous toutes chaque certains certaines quelques plusieurs
 bonjour bonsoir salut cher chere cordialement bien merci bonne bon bonnes bons
 quelqu personne personnes gens chose choses rien
 travail travaille travailler travaillez role poste fonction nom mot mots question questions reponse message messages note idee idees sujet sujets
 echange echanger discuter discussion conversation parler parlez appel appeler contact contacter contacts reseau profil
 attire attention interesse interesser interessant interessante interet curieux curieuse plaisir ravi ravie heureux heureuse
 vu voir vois lu lire lisez suis suivre remarque trouve trouver tombe tombee appris apprendre savoir sais savez pense penser crois
 fait faire fais faites dire dis dit donner donne prendre prend aller va vais recevoir recevez recois
 ouvert ouverte ouverts court courte courts bref breve rapide rapidement simple facile difficile utile possible pret prete clair
 comprendre comprends besoin envie temps moment occasion raison facon maniere part cote monde domaine experience experiences quotidien
 pression souci aide aider aidons connecter partager ensemble directement personnellement actuellement
 ecrire ecris ecrivez ici irait iriez dites recoit envie
 convient conviendrait convenir seriez serait voici la `,
  nouns: '',
  time: 'responsable gere gerez gerer abordez aborder prochaine prochain semaine semaines mois an ans annee annees jour jours demain aujourd hui matin soir bientot minute minutes heure heures',
  numbers:
    'deux trois quatre cinq six sept huit neuf dix onze douze douzaine vingt trente cent cents mille million millions milliard milliards fois double doubler triple tripler moitie pourcent',
  months: 'janvier fevrier mars avril mai juin juillet aout septembre octobre novembre decembre',
  recent: [
    ['hier', 'yesterday'],
    ['la semaine derniere', 'last week'],
    ['cette semaine', 'this week'],
    ['le mois dernier', 'last month'],
    ['ce mois', 'this month'],
    ['l annee derniere', 'last year'],
    ['cette annee', 'this year'],
    ['recemment', 'lately'],
    ['dernierement', 'lately'],
    ['recente', 'lately'],
    ['recent', 'lately'],
  ],
  congratulates: 'felicitations bravo felicite feliciter',
  newRole: 'nouveau nouvelle poste role prise fonction fonctions',
  posted: 'publication publications publie post article partage ecrit',
  conversed: 'reponse repondu demande demandez dit ecrit mentionne message question',
  earlierContact:
    /\b(?:merci(?: \w+)? (?:pour|de) (?:votre|ta|ton|vos|notre|l|le|la|nous)\b(?: \w+)?|comme (?:convenu|promis|discute|evoque|dit)|(?:notre|nos) (?:dernier|derniere|precedent|precedente|derniers) \w+|suite a (?:notre|nos|votre)|nous nous sommes|nous avons (?:parle|discute|echange|rencontre|convenu|travaille)|m a (?:parle|dit|recommande)|vous m avez|ravi de vous avoir)\b/g,
  hearsay:
    /\b(?:quelqu un|gens|personnes?|certains|d autres|votre reseau|vos contacts?) (?:\w+ ){0,4}(?:dit|disent|racontent?|recommandent?|travaillent? (?:deja )?avec (?:nous|moi)|nous connai(?:t|ssent)|parlent? de nous)\b/g,
  ourselves: 'nous notre nos je j mon ma mes',
  perceives: 'vu vois lu remarque interesse suis tombe appris comprends',
  greetings: 'bonjour bonsoir salut cher chere',
  by: 'par',
  prepositions: 'a en chez de d dans pour avec sur au',
  qualifiers:
    'adjoint adjointe ancien ancienne ex assistant assistante vice stagiaire junior interim apprenti apprentie',
};

import { END, few } from './word-gaps.ts';

/**
 * More sentences by which people ask to be left alone, made of what is the same in many of them: a verb of writing, its mails, who is
 * meant, and a verb of stopping or removing. Each has its person or its mails in it, so that it counts beside a yes too ("sounds good,
 * but never again"). Written for folded texts (lower case, no accents).
 */

const WRITING = String.raw`(?:(?:cold[ -])?e-?mail(?:ing)?|mail(?:ing)?|contact(?:ing)?|writ(?:e|ing)|messag(?:e|ing)|text(?:ing)?|ping(?:ing)?|bother(?:ing)?|spam(?:ming)?|disturb(?:ing)?|pester(?:ing)?|harass(?:ing)?|approach(?:ing)?|solicit(?:ing)?|annoy(?:ing)?|nag(?:ging)?|chas(?:e|ing)|pitch(?:ing)?)`;
const SEND = String.raw`(?:send|sending)`;
const MAILS = String.raw`(?:e-?mails?|mails?|mailings?|messages?|spam|solicitations?|follow-?ups?|communications?|correspondence|contact|newsletters?|texts|outreach)`;
const THINGS = String.raw`(?:this|these|those|it|that|them|anything|${MAILS})`;
const NEVER = "(?:do not|don't|dont|never|not|no longer)(?: ever| please| you| kindly| to)*";
/** How far a wish goes that is one for good, not for today or by telephone. */
const FOR_NOW = '(?! (?:by|via|on|before|until|till|at|today|yet|now,|this week|with (?:our|my|the|them|him|her)))';
const PLACE = String.raw`(?:your|the|this|any|all|future|further|that|these)`;

const ENGLISH = [
  `(?<!you )(?<!they )(?<!we )(?<!i )${NEVER} ${WRITING} (?:(?:to )?(?:me|us)|@)${few(3)}${END}${FOR_NOW}`,
  `${NEVER} (?:reach(?:ing)? out|follow(?:ing)? up|get(?:ting)? in touch|${WRITING})(?: (?:to|with) (?:me|us))?(?: (?:again|any ?more|ever|please|further))*(?= *[.!]| *$)`,
  `(?<!you )(?<!i )(?<!we )${NEVER} ${SEND} (?:me |us )?(?:any|anything|another|more|further|these|such|your|${MAILS})${FOR_NOW}`,
  `(?:rather|prefer|prefer it|better|love it|like it|appreciate it|grateful|happy|thankful) (?:if )?(?:you )(?:did not|didn't|do not|don't|never|stop|stopped|left|leave|remove|removed|delete|deleted)${FOR_NOW}`,
  `(?:if|once|when|provided) you (?:stop|stopped|leave me|left me|remove me|removed me|delete me|deleted me)${few(2)}${END}`,
  `if you (?:${WRITING}|${SEND})${few(3)} again`,
  String.raw`(?:no|not have(?: my| our)?|don't have(?: my| our| any)?|never (?:gave|had)(?: you)?(?: my| our| any)?|without(?: my| our)?) (?:permission|consent|authori[sz]ation)(?: to (?:${WRITING}|${SEND}|use))`,
  String.raw`(?:stop|cease|quit|discontinue|desist from|refrain from|end)(?: all| any| these| those| this| the| your| with| sending(?: me| us)?)*(?: further| more| unsolicited| such)* (?:${MAILS}|following up|reaching out|chasing|pestering|annoying|nagging|disturbing|pitching)(?! with (?:our|my|the|them|him|her))`,
  `(?:told|asked|ask|begged|warned) you${few(2)} (?:to )?(?:stop|unsubscribe|remove|take|not to|leave)`,
  `(?:prefer|like|wish|want|ask(?:ed)?) not to (?:get|receive|hear|have)${FOR_NOW}`,
  `(?:stop|cease|quit)(?: all| the| your| with| this| these)* ${WRITING}(?! with (?:our|my|the|them|him|her))`,
  `make (?:this|it|these|them)(?: \\p{L}+)? stop`,
  `(?:can|could|may) (?:i|we)(?: please)? be (?:removed|deleted|unsubscribed|excluded|taken off)`,
  `(?:do not|don't|did not|didn't|never|have not|haven't) (?:consent(?:ed)?|agreed?|opt(?:ed)?[ -]?in|sign(?:ed)? up|subscribed?|asked?|request(?:ed)?)(?: (?:to|for) (?:this|these|your|it|that|any|marketing|receiv\\p{L}*|${MAILS}|be (?:contacted|mailed|e-?mailed))|${END})`,
  `(?<!not )(?<!n't )(?<!never )(?:wipe|purge|scrub|destroy|erase|drop|delete|remove) (?:all )?(?:my|our) (?:personal |contact )?(?:data|details|information|info|records?|entry|profile|address|e-?mail)`,
  `(?:stop|quit|end) (?:it|this|these|that)(?: now| please| immediately| at once| already)*${END}`,
  `(?:do not|don't|dont|will not|won't|never|cannot|can't)(?: \\p{L}+)? (?:accept|want|take|appreciate|welcome|tolerate|wish)${few(2)} (?:unsolicited|solicitations?|e-?mails?|mailings?|messages|spam|(?:further|more|any) contact)`,
  `${NEVER} use (?:it|this|that|my|our)(?: e-?mail| mail| personal| private| work| business)*(?: address| number| account| data| e-?mail| again| any ?more)*${END}`,
  'lose (?:this|that) (?:number|e-?mail|address|contact)',
  `(?:please |just |kindly )(?:forget|exclude|block|omit|drop) (?:about )?(?:me|us)${END}|block me${END}|forget me${END}`,
  `(?:exclude|omit|drop|strike|scratch|scrub|leave|keep|count|cut) (?:me|us) (?:from|out|off)(?: of)? ${PLACE}`,
  `(?:leave|count|keep) (?:me|us) out of (?:this|it|that)`,
  `leave (?:me|us)${few(3)} alone`,
  `(?:get (?:the \\p{L}+ )?out of my (?:inbox|mail|life|sight)|get lost|(?:bugger|sod|buzz|clear) off|f[*u#@$]\\S{0,4} off|go to hell)`,
  `(?:i |we |i've |we've |have |been |you are |you're |are |consider yourself )+(?:block(?:ed|ing)|reporting|reported)(?: you| this| your (?:address|domain|mail|e-?mail))*${END}`,
  `this is (?:(?:pure|plain|just|unwanted|unsolicited) )*(?:harassment|spam|unsolicited)${END}`,
  `(?<!not )(?<!n't )(?:erase|delete|remove|destroy|wipe|purge)${few(3)} (?:data|information|details|records?|info)${few(4)} (?:about|of|on) (?:me|us|mine)`,
  `(?:remove|delete|erase|take|strike|drop|scrub) (?:@|this (?:e-?mail|address|mail|one|e-?mail address|contact)|my \\p{L}+)${few(3)} (?:off|from|out of) ${PLACE}`,
  `(?:delete|remove|erase) (?:this|my|our)(?: e-?mail| mail)? (?:address|contact|e-?mail|mail|entry|record)`,
  `(?:enough|no more|sick|tired|fed up|done|had enough)(?: of| with) (?:this|these|that|those|your|them|it|the)(?: ${MAILS}| ones?| stuff| thing)?${END}`,
  `enough ${MAILS}`,
  `(?:never|not)(?: to)? (?:hear|hearing|get|getting|receive|receiving|see|seeing)${few(3)} (?:again|from you|any ?more)`,
  `(?:love|like|prefer|happy|glad|wish|want|need|ask|asked|asking|request)(?: for me)? to (?:be|get) (?:removed|deleted|unsubscribed|excluded|taken off|taken out|left alone|off)`,
  `(?:want|like|need|prefer) (?:it|this|that|these|my ${few(2)}|all of it|everything) (?:gone|removed|deleted|erased|to stop|to end)`,
  `(?:take|get|pull) (?:me|us) off(?=[^\\S\\n]*(?:$|[.!?,;\\n]| (?:of|your|the|this|that|these|those|all|any|every|it|please|and|now|immediately|here|asap)\\b))`,
  `(?:take|get|pull|remove|delete) my${few(2)} (?:e-?mail|mail|address|name|number|data|contact|details)${few(1)} (?:off|out|from)`,
  `thank(?:s| you)(?: very much)? for (?:not|never|removing|deleting|erasing|unsubscribing|stopping|leaving) (?:(?:${WRITING}|${SEND}) )?(?:me|us|my|our|this|these|it)`,
  `(?:can|could|would|will) you (?:please |kindly |just |all )*(?:stop|quit|cease)(?= *[?.!]| *$| (?:this|that|it|these|writing|please|now|sending|with)${END})`,
  `sick (?:and tired )?of ${THINGS}`,
  String.raw`(?<!not )(?<!n't )un-?subscri\p{L}*(?: (?:me|us|my|our|now|please|here|@))`,
];

const G_WRITING = String.raw`(?:(?:an|zu|weiter|ver|be)?(?:ge)?(?:kontaktier|schreib|schrieb|mail|schick|send|sand|belastig|belaestig|stor|nerv|behellig|bombardier|zumull)\p{L}*)`;
const G_MAILS = String.raw`(?:e-?mails?|mails?|nachrichten?|anfragen?|\p{L}*werbung|werbemails?|newsletter|zuschriften|anschreiben|post|spam|spam-?mails?|kontakt\p{L}*|angebote|kaltakquise|akquise)`;
const G_SELF = String.raw`(?:mich|mir|uns|mein\p{L}*|unser\p{L}*)`;
const G_REMOVE = String.raw`(?:losch|entfern|streich|sperr|tilg|vernicht|nehm|nimm|schmeiss)\p{L}*`;
const G_NOT = '(?:nicht|nichts|nie|niemals|nimmer)';
const G_AGAIN = '(?:mehr|wieder|weiter|weiterhin|erneut|noch ?mals?|langer)';
const GERMAN = [
  String.raw`bestell\p{L}*(?: ich| sie| wir)?${few(3)} ab${END}|wenn sie (?:damit |endlich )?aufhoren|aufhor\p{L}*,?(?: damit,?)? (?:mir|mich|uns)`,
  String.raw`meld\p{L}*(?: sie)? (?:ich )?(?:mich|uns|@)${few(4)} ab${END}`,
  String.raw`(?:nehm|nimm|schmeiss|werf|hol)\p{L}*(?: sie)?(?: mich| uns| bitte| doch| einfach)+(?: da| hier)?${few(4)} (?:raus|heraus)${END}`,
  String.raw`stell\p{L}*(?: sie| bitte)*${few(3)} (?:versand|mails?|e-?mails?|das|dies|kontakt\p{L}*)${few(2)} ein${END}`,
  `(?:wurden|konnten|konnen|kannst|konntest|wollen|mogen|bitte|mochte|will|mag)${few(4)} (?:aufhoren|abgemeldet|ausgetragen|abmelden|austragen|abbestellen)`,
  `(?:wurden|konnten|konnen|kannst|konntest|bitte|mochte|will|lassen|lasst)${few(2)} ${G_SELF}${few(3)} (?:loschen|entfernen|streichen|sperren|gestrichen|geloscht|entfernt|herausnehmen|rausnehmen)`,
  `(?:wunsch\\p{L}*|erlaub\\p{L}*|duld\\p{L}*|akzeptier\\p{L}*|mocht\\p{L}*|wollen|will|brauch\\p{L}*)(?: ich| wir)?${few(2)} kein\\p{L}*(?: weitere\\p{L}*| solche\\p{L}*| mehr)? ${G_MAILS}(?! (?:machen|schalten|verschicken|versenden|schreiben|senden|betreiben))`,
  `(?<!nicht )${G_REMOVE}(?: sie| bitte| doch| sofort| umgehend| dann| einfach)* (?:mich|uns|alles|@|(?:mein\\p{L}*|unser\\p{L}*)(?: \\p{L}+)? (?:kontakt\\p{L}*|\\p{L}*adress\\p{L}*|daten|e-?mails?\\p{L}*|eintrag|account|profil|namen?))(?=(?:[^\\S\\n]+[^\\s.,;:!?]+){0,1}(?: *[.!?,;:\\n]| *$)| (?:aus|von) (?:ihr|eur|dein|der|dem|den))`,
  `(?<!nicht )${G_REMOVE}(?: sie| bitte| doch| dann)* (?:alles|alle daten|samtliche daten)`,
  String.raw`lass\p{L}*(?: sie)?(?: bitte| doch| endlich)* (?:mich|uns)${few(2)} in (?:ruhe|frieden)|(?:ruhe|frieden) lassen`,
  `${G_WRITING}(?: sie)? (?:mich|mir|uns)${few(3)} ${G_NOT} ${G_AGAIN}`,
  `${G_NOT} ${G_AGAIN}${few(2)} ${G_WRITING}`,
  `${G_NOT} (?:mehr|wieder|weiteres) (?:von (?:ihnen|euch|dir) )?(?:horen|bekommen|erhalten|lesen|sehen|zusenden|zuschicken)`,
  String.raw`verschon\p{L}*(?: sie)? (?:mich|uns)|unerwunscht\p{L}* (?:werbung|e-?mails?|mails?|kontakt\p{L}*|werbemails?)|nicht erwunscht`,
  `(?:mahn|mahne|mahnen)(?: wir| sie| ich)*${few(2)} ab${END}`,
  `(?:kein\\p{L}*|ohne|nie|niemals|nicht)(?: \\p{L}+){0,2} (?:erlaubnis|einwilligung|zustimmung|genehmigung)${few(3)}(?:,| )[^.!?\\n]{0,30}(?:schreiben|schicken|senden|kontaktieren|werbung|mails?|nutzen|verwenden)`,
  `(?:erlaubnis|einwilligung|zustimmung) (?:nie|nicht) (?:gegeben|erteilt)|(?:kein\\p{L}*|nie) (?:\\p{L}+ )?(?:erlaubnis|einwilligung|zustimmung)(?: \\p{L}+)? (?:gegeben|erteilt)`,
  String.raw`seh\p{L}*(?: sie)?(?: bitte| kunftig)*${few(3)} (?:davon )?ab, (?:mich|mir|uns)|davon ab(?:zusehen|sehen)|davon abzusehen`,
];

const F_WRITING = String.raw`(?:(?:re)?(?:contact|ecri|envo[iy]|sollicit|relanc|derang|importun|appel|demarch|spamm|harcel|insist|embet)\p{L}*)`;
const F_MAILS = String.raw`(?:e-?mails?|mails?|messages?|courriels?|sollicitations?|pub|publicites?|spams?|prospection|demarchages?|relances?|newsletters?|envois|offres)`;
const F_STOP = String.raw`(?:arret|cess|stopp)(?:er|ez|e|iez)`;
const F_REMOVE = String.raw`(?:retir|enlev|supprim|effac|radi|ot|desinscri|desabonn|exclu|sort|ray)(?:er|ez|e|re|vez|ir|iez)`;
const F_PLACE = String.raw`(?:de|des|du|sur|d') ?(?:votre|vos|la|cette|ces|toutes?|cet)`;
const FRENCH = [
  `(?:merci|priere|veuillez|je vous (?:prie|demande)|prie)(?: de| d'|d')*(?: bien vouloir)? ?(?:ne (?:pas|plus|rien|jamais)${few(1)} (?:me |m'|nous )?(?:rien )?${F_WRITING}|${F_STOP})`,
  `(?:merci|priere|veuillez|je vous (?:prie|demande)|prie)(?: de| d'|d')*(?: bien vouloir)? ?(?:m'|me |nous )${F_REMOVE}`,
  `(?:me |m'|nous )(?:re)?(?:retir|enlev|supprim|effac|radi|ot|desinscri|desabonn|exclu|sort)\\p{L}* ${F_PLACE}`,
  `(?:ne|n')(?: me| nous| m')? ?${F_WRITING}(?:-moi|-nous)? (?:plus|jamais|pas)(?! (?:avant|aujourd'hui|cette semaine|par telephone|le|la|de))${few(2)}${END}`,
  `(?:inutile|pas la peine|plus la peine|pas besoin) (?:de |d')(?:me |m'|nous )?(?:re)?(?:contact|ecri|sollicit|relanc|insist|envoy)\\p{L}*`,
  `(?:plus|pas|stop|aucun\\p{L}*|marre|assez|ras le bol)(?: de| d'| des| aux?| a)? ?(?:vos |ces |tes |la )?${F_MAILS}(?: commercial\\p{L}*| publicitaires?| de votre part)?(?: svp| s'il vous plait| merci| maintenant)*${END}`,
  `(?:veux|voulons|souhaite|souhaitons|desire) (?:pas|plus) (?:de |d'|etre |recevoir )(?:vos |ces |tes |ce genre )?(?:de )?(?:${F_MAILS}|contact\\p{L}*|sollicit\\p{L}*|relanc\\p{L}*|demarch\\p{L}*)`,
  String.raw`(?:fout|fich|laiss)\p{L}*[- ](?:moi|nous) (?:la paix|en paix|tranquilles?)`,
  `(?:si|quand) vous (?:${F_STOP}|(?:me |m')${F_REMOVE})`,
  `(?:comment|pouvez-vous|pourriez-vous|peut-on|puis-je) ?(?:faire pour )?(?:me |m'|nous |se |ne plus (?:etre|recevoir))${few(1)}(?: ?(?:retir|enlev|supprim|desinscri|desabonn|effac)\\p{L}*|${few(2)} ${F_MAILS})`,
  `(?:n'ai|n'avons)${few(1)} (?:jamais|pas) (?:donne|autoris|consent)\\p{L}*`,
  `${F_STOP}(?:-le|-la|-ca|-cela)? ?(?:ca|cela|tout|maintenant|tout de suite|immediatement|svp)${END}`,
];

const SPANISH = [
  `(?:no|sin|nunca)(?: me| nos)? (?:volver a |vuelvan? a |siga[ns]? )?(?:contactar|escribir|enviar|molestar|mandar|insistir)(?:me|nos)?(?= (?:mas|nunca|de nuevo|nada|nuevamente)| *[.!,\\n]| *$)`,
  String.raw`no (?:me |nos )?(?:contacte|escriba|envie|mande|moleste|llame|insista|insist|escribe|contacta|envia)[nsi]{0,2}(?:me|nos)? (?:mas|nuevamente|de nuevo|otra vez|nunca|jamas|a esta)`,
  `no insista[ns]?(?: por favor| mas)*${END}`,
  `(?:por|de|para) no (?:volver a )?(?:contactar|escribir|enviar|molestar|mandar)\\p{L}*`,
  String.raw`(?:dej[ea]n?|dejad)(?:me|nos) (?:en paz|tranquil\p{L}*|de)`,
  String.raw`(?:dejen|deje|dejad|deja|paren|pare|basta)(?: ya)? (?:de|con) (?:molestar|escribir|enviar|mandar|contactar|insistir|spam|correos|mensajes|e-?mails?|publicidad|esto|eso)\p{L}*`,
  String.raw`no autorizo|no autorizamos|no (?:di|doy|he dado|dimos) (?:mi |nuestro )?(?:consentimiento|permiso|autorizacion)`,
  String.raw`(?:retir|baj|quit|sac|borr|elimin|suprim|exclu|remuev)\p{L}{1,4}(?:me|nos)(?= (?:de|por|ya|inmediatamente|del)(?! (?:encima|duda))| *[.!?,\n]| *$)`,
  `(?:me doy|darme|darnos|doy|deme|denme|dame|dar) de baja(?! (?:el|la|los|las|a|al)(?![\\p{L}]))`,
  String.raw`(?:quiero|quisiera|deseo|solicito|pido) (?:ser|que me|que nos) (?:eliminad|borrad|retirad|dad|quit|borr|elimin|saqu|retir|den)\p{L}*|como (?:me )?(?:desuscribo|borro|elimino|salgo)`,
  String.raw`(?:cancel|anul)\p{L}* (?:mi |la |nuestra )?suscripcion`,
  `(?:ni un|ningun|no mas|basta de|nada de) (?:otro )?(?:correos?|mensajes?|e-?mails?|mails?|publicidad|spam)`,
];

const I_WRITING = '(?:scriv|contatt|mand|invi|disturb|sped|insist|chiam)';
const ITALIAN = [
  String.raw`(?:lasci|lascia|lasciat)\p{L}{0,2}(?:mi|ci|emi|eci) (?:in pace|stare)|(?:mi|ci) lasci(?:ate)? (?:in pace|stare)`,
  String.raw`(?:vorrei|voglio|desidero|chiedo di|vorremmo|posso) essere (?:cancellat|rimoss|disiscritt|tolt|eliminat)\p{L}*|non (?:voglio|vogliamo|desidero|desideriamo)(?: piu| altre| altri| le vostre| queste| vostre)* (?:e-?mail|mail|messaggi|pubblicita|comunicazioni)`,
  String.raw`non insist\p{L}*|non (?:autorizzo|autorizziamo|ho (?:mai )?(?:dato|autorizzato))`,
  String.raw`(?:cancell|rimuov|elimin|togl|tolg|disiscriv|escud)\p{L}*(?:mi|ci)(?:${few(2)} (?:da|dal|dalla|dai)|${END})`,
  String.raw`(?:mi|ci) (?:cancell|rimuov|elimin|tolg|togl|disiscriv|disiscr)\p{L}*`,
  `(?:cancell|rimuov|elimin)\\p{L}* (?:il (?:mio|nostro)|la (?:mia|nostra)|i miei|le mie|i nostri)${few(1)} (?:indirizzo|e-?mail|mail|contatto|dati|casella|nominativo|numero)`,
  String.raw`non ${I_WRITING}\p{L}*(?:mi|ci)?(?:${few(1)} (?:piu|altro|altre|nulla|niente|ancora|mai|di nuovo)|${END})`,
  String.raw`(?:evit|smett)\p{L}* di (?:continuare a )?${I_WRITING}\p{L}*|(?:di|a) non (?:continuare a )?${I_WRITING}\p{L}*(?:mi|ci)`,
  String.raw`(?:basta|niente|nessun\p{L}*|stop)(?: con| piu| altr\p{L}*)?(?: le| queste| i)? (?:e-?mail|mail|messaggi|spam|pubblicita|newsletter|comunicazioni|contatti)`,
];

const D_MAILS = String.raw`(?:e-?mails?|mails?|mailtjes?|berichten|berichtjes|reclame|spam|acquisitie|contact|nieuwsbrieven?|telefoontjes|post|benadering|aanbiedingen|prospectie)`;
const D_REMOVE = '(?:verwijderen|uitschrijven|afmelden|schrappen|wissen|verwijderd|uitgeschreven|afgemeld|halen)';
const DUTCH = [
  `(?:graag|aub|alstublieft|alsjeblieft|svp) (?:mij |ons |me |direct |meteen |a\\.u\\.b\\. )*(?:verwijderen|uitschrijven|afmelden|schrappen|verwijder)(?= (?:uit|van)|${END})`,
  `stop met (?:het |me |mij |ons )?(?:sturen|mailen|schrijven|spammen|benaderen|berichten)|(?:wil|wens) (?:uitgeschreven|verwijderd|afgemeld)`,
  `geen(?: verdere| andere| nieuwe| ongevraagde)? ${D_MAILS}(?: meer| van u| van jullie| verder)`,
  `(?:wil|willen|wens|wensen|graag|hoef|hoeven)${few(2)} geen${few(1)} ${D_MAILS}`,
  `${D_MAILS}${few(3)} niet op prijs|(?:stel|stellen|wordt|worden)${few(3)} (?:geen prijs|niet op prijs)`,
  String.raw`schrijf\p{L}*(?: u)? (?:mij|me|ons)${few(3)} uit${END}|meld\p{L}*(?: ik| u)? (?:mij|me|ons)${few(4)} af${END}`,
  `(?:haal|haalt|verwijder|verwijdert|schrap|gooi)(?: u)? (?:mij|me|ons|mijn \\p{L}+|@)${few(2)} (?:uit|van|af)`,
  `(?:uit|van)${few(2)} (?:lijst|bestand|bestanden|systeem|database|mailinglijst|mailinglist)${few(1)} ${D_REMOVE}`,
  `(?:mij|me|ons|mijn${few(2)}|onze${few(2)}) ${D_REMOVE}`,
  `gelieve${few(4)} (?:verwijderen|stoppen|uitschrijven|schrappen|niet|geen|niets)`,
  `laat (?:me|mij|ons)${few(2)} met rust|(?:met|in) rust (?:laten|gelaten)`,
  `(?:hou|houd|stop|schei|kap)(?: er| hier| daar| nu| eens| maar| aub)* (?:op|mee|hiermee|ermee|daarmee|uit)(?: op)?${END}`,
  `(?:niet|nooit)(?: meer| opnieuw| weer)${few(2)} (?:benaderen|mailen|schrijven|contacteren|bellen|lastigvallen|berichten|sturen)`,
];

const P_WRITING = '(?:contact|contat|escrev|envi|mand|incomod|perturb|insist|lig)';
const PORTUGUESE = [
  String.raw`deix\p{L}*(?:-me|-nos)? em paz|nao insist\p{L}*|nao (?:autorizo|autorizamos|dei|consinto|consenti)`,
  String.raw`como (?:me )?(?:cancelo|descadastro|desinscrevo|removo|saio)|(?:gostaria de|quero|desejo) ser (?:removid|retirad|excluid|descadastrad)\p{L}*`,
  String.raw`nao (?:quer(?:o|emos)|desejo)(?: mais| receber| os seus| seus| os vossos)* (?:e-?mails?|mensagens|spam|publicidade)|nao (?:me |nos )?(?:envi|mand)\p{L}*(?: mais)? (?:e-?mails?|mensagens|nada)`,
  String.raw`nao volt\p{L}* a (?:me |nos )?${P_WRITING}\p{L}*|nao (?:me |nos )?${P_WRITING}\p{L}*(?:-me|-nos)?(?:${few(2)} mais|${END})`,
  String.raw`par(?:em|e|ar|a) (?:com|de)(?: me| nos)? (?:isso|isto|os|as|esses|essas|estas|estes|${P_WRITING}\p{L}*|e-?mails?|spam)`,
  String.raw`(?:chega|basta)(?: ja)? (?:de|com) (?:e-?mails?|mensagens|spam|publicidade|isso|isto|contacto|contato)`,
  String.raw`sair (?:da|desta|dessa|das) (?:sua |vossa )?lista`,
  String.raw`cancel\p{L}* (?:a )?(?:minha )?(?:subscricao|inscricao|assinatura)`,
  String.raw`(?:favor|por favor|podem?|poderiam?|quero|gostaria(?: de)?)(?: de)? (?:retirar|remover|excluir|apagar|eliminar)(?:-me|-nos)?(?: (?:o |os |a )?(?:meu|meus|minha|nosso)|${END}| (?:da|desta))`,
  String.raw`(?:remov|exclu|retir|apag|descadastr|tir)\p{L}*-(?:me|nos)`,
  String.raw`(?:nada de|sem|nenhum) (?:mais )?(?:e-?mails?|mensagens|spam|publicidade)(?: por favor)?${END}`,
];

const PL_WRITING = '(?:pisz|pisa|kontakt|wysyl|przysyl|dzwon|nekaj|nekac|spam|zawrac)';
const POLISH = [
  String.raw`nie ${PL_WRITING}\p{L}*(?: (?:do mnie|do nas|wiecej|juz|mi|nam|sie|ze|mna|nami)|${END})`,
  String.raw`nie (?:zycz|chc|wyraz)\p{L}*(?: sobie)?${few(2)} (?:zgod\p{L}*|kontakt\p{L}*|maili|wiadomosci|ofert\p{L}*|wiecej|reklam\p{L}*|otrzymywa\p{L}*)`,
  String.raw`(?:wypisz|wypisac|wykresl|usun|skresl)\p{L}*(?: prosze)? (?:mnie|nas|moj\p{L}*|moich|nasz\p{L}*)|(?:mnie|nas|moj\p{L}*)${few(1)} (?:wypisac|usunac|wykreslic|skreslic)`,
  String.raw`wypisuj\p{L}* sie|(?:sie|jak) wypisac`,
  String.raw`(?:przesta\p{L}*|zaprzesta\p{L}*)${few(2)} (?:pisac|wysyl\p{L}*|kontakt\p{L}*|spamow\p{L}*|dzwonic|nekac|tego|to)|(?:prosze|przestan|przestancie)(?: o)? (?:przestac|zaprzesta\p{L}*)${END}|przesta(?:n|ncie)${END}`,
  String.raw`daj\p{L}* (?:mi |nam )?(?:juz )?(?:swiety )?spokoj`,
  String.raw`(?:zadnych|bez|dosc|koniec)(?: wiecej)?(?: tych| waszych)? (?:maili|wiadomosci|ofert|reklam|spamu|mailingu)`,
  String.raw`z?rezygnuj\p{L}*|nie wyrazam(?:y)? zgody`,
];

/** Sources of patterns; each counts as a wish wherever it stands. */
export const OPT_OUT_SENTENCES: readonly string[] = [
  ...ENGLISH,
  ...GERMAN,
  ...FRENCH,
  ...SPANISH,
  ...ITALIAN,
  ...DUTCH,
  ...PORTUGUESE,
  ...POLISH,
];

const COURTESY = String.raw`(?:ok(?:ay)?|yes|no|and|but|so|please|pls|just|kindly|thanks|thank you|now|ja|nein|und|aber|bitte|danke|also|jetzt|endlich|oui|non|et|mais|merci|svp|s'il vous plait|maintenant|si|y|pero|por favor|gracias|favor|grazie|e|ma|per favore|subito|graag|en|maar|aub|a\.u\.b|alstublieft|bedankt|dank u|sim|nao|obrigad[oa]|tak|nie|prosze|ale|dziekuje)`;
const NO =
  "(?:no|zero|kein\\p{L}*|keinerlei|aucun\\p{L}*|pas de|pas d'|plus de|plus d'|ningun\\p{L}*|nessun\\p{L}*|niente|geen|nenhum\\p{L}*|sem|zadnych|bez)";
const NOUNS = `(?:${MAILS}|${G_MAILS}|${F_MAILS}|${D_MAILS}|correos?|mensajes?|publicidad|pubblicita|messaggi|mensagens|publicidade|maili|wiadomosci|ofert|advertising|marketing e-?mails?|sales e-?mails?|junk|offers)`;
const KIND = String.raw`(?: (?:more|further|weiter\p{L}*|cold|sales|such|solche\p{L}*|unsolicited|unaufgeforderte|mas|altre|altri|verdere|mais|wiecej|de|plus|marketing|commercial\p{L}*|other))*`;
const AFTERWARDS = String.raw`(?: (?:please|mehr|any ?more|again|ever|thanks|thank you|bitte|meer|mas|mais|piu|wiecej|svp|aub|merci|commercial\p{L}*|comercial\p{L}*|commercial[ei]|from you|von ihnen|to me|to us|an mich|por favor|per favore|s'il vous plait))*`;
const IDIOMS =
  "s ?t ?o ?p \\d to end|stop \\d end|(?:you(?:'re| are| have been)? )?(?:now )?(?:blocked|reported)|end (?:this|it)|discontinue|(?:enough|genug|assez|dosc|chega|suffit|basta|genoeg|suficiente)(?: (?:now|already|jetzt|davon|maintenant|nu|is|ya|gia|cosi))*|enough is enough|not wanted|unwanted|nicht mehr|bitte nicht(?: mehr)?|nie mehr|es reicht(?: jetzt| mir)?|jetzt reicht'?s|schluss(?: (?:jetzt|damit|mit \\p{L}+))*|on (?:arrete|s'arrete)(?: la| ici)?|ca suffit(?: maintenant| comme ca)?|ya basta|sair|dosc tego|koniec(?: z tym| tego)?|nie wyrazam zgody|hou op|ophouden|get lost|no thanks stop|stop (?:hiermee|ermee|ca|cela|ya|basta|damit)|nie wieder|never again|nunca mas|plus jamais|mai piu|nooit meer|nigdy wiecej|nichts mehr|niente piu|nada mais|nada mas|no me interesa no me escriba";

/** What asks for it where it is all that a clause says, with courtesy around it. */
export const OPT_OUT_CLAUSE = new RegExp(
  `^(?:${COURTESY}[ ,]+)*(?:${NO}${KIND} ?${NOUNS}${AFTERWARDS}|${IDIOMS})(?:[ ,]+${COURTESY})*$`,
  'u',
);

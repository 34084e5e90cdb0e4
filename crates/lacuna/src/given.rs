//! Given names common in the eight languages, written from memory of phone books and class lists.
//!
//! The model misses some of them where a sentence says little (`Wouter fietste met Noor`) or where nothing has a
//! capital (`ring uwe`). Names that are also words, towns or makes are left out.

use crate::lists::List;
use crate::near;

/// Whether a word is a given name by its letters alone, whatever its case.
pub fn is_given(word: &str) -> bool {
    UNMISTAKABLE.has(word) || (near::is_capitalised(word) && CAPITALISED.has(word))
}

/// Names that are no words in any of the languages: also found in small letters. Sorted.
#[rustfmt::skip]
static UNMISTAKABLE: List = List::new(&[
    "aaliyah", "aaron", "abdullah", "abigail", "adalbert", "adriaan", "adriana", "adrienne", "agathe",
    "agnes", "agnieszka", "ahmed", "aidan", "aileen", "aino", "aisha", "aisling", "ajay", "akira", "alasdair",
    "albane", "alberto", "alejandra", "alejandro", "aleksander", "aleksandra", "alessandra", "alessandro",
    "alessia", "alexander", "alexandra", "alexandre", "alexis", "alfonso", "alfredo", "alicja", "alina",
    "aline", "alistair", "aloys", "alphonse", "alyssa", "amadou", "amalia", "amandine", "amelia", "amina",
    "amir", "amélie", "ananya", "anastasia", "anders", "andreas", "andreia", "andrej", "andrew", "andrzej",
    "anette", "angus", "anika", "anja", "anke", "annabel", "annegret", "anneke", "annelies", "annemarie",
    "annette", "annika", "ansgar", "anthony", "antje", "antoine", "anton", "antonella", "antonia",
    "antonietta", "antonio", "antonín", "antónio", "anuradha", "apolline", "ariane", "arianna", "armando",
    "armelle", "arnaud", "arne", "arnold", "arturo", "arvid", "ashley", "astrid", "atticus", "augustin",
    "aurélie", "aurélien", "axel", "ayşe", "barbara", "barnabas", "barney", "bartek", "bartosz", "bartłomiej",
    "bastiaan", "bastian", "beata", "beate", "beatrice", "beatrix", "beatriz", "belinda", "benedetta",
    "benedikt", "benjamin", "benoît", "beppe", "bernadette", "bernard", "bernardo", "bernd", "bernhard",
    "bertrand", "bettina", "beverley", "birgit", "björn", "bjørn", "boris", "bram", "breanna", "brenda",
    "brendan", "brian", "bridget", "brigitte", "britta", "brittany", "bryan", "burkhard", "bérénice", "caio",
    "caitlin", "calum", "camila", "camille", "carina", "carla", "carlotta", "carole", "carolina", "caroline",
    "carolyn", "catarina", "caterina", "catherine", "cathy", "cecilia", "chantal", "charlene", "chiara",
    "chloé", "christa", "christelle", "christiane", "christina", "christine", "christoph", "christophe",
    "christopher", "ciara", "clarisse", "claudine", "clotilde", "clémence", "clément", "colette", "colin",
    "colleen", "concetta", "conor", "corentin", "corinne", "cornelia", "cornelis", "cristian", "cristiano",
    "cristina", "cynthia", "cécile", "cédric", "célia", "céline", "dagmar", "daisuke", "damian", "damien",
    "daniel", "daniela", "daniele", "danielle", "danilo", "danuta", "dariusz", "darren", "david", "davide",
    "dawid", "deborah", "declan", "deirdre", "delphine", "dennis", "derek", "desmond", "detlef", "diane",
    "dieter", "dietmar", "dimitri", "dirk", "dmitri", "dominika", "dominique", "donald", "donatella", "doris",
    "dorota", "dorothea", "dorothee", "dorothy", "douglas", "duarte", "dustin", "dylan", "eberhard",
    "edeltraud", "edith", "edmund", "eduard", "eduardo", "edward", "eileen", "ekaterina", "elaine", "eleanor",
    "elena", "eleonora", "elfriede", "elisabeth", "elise", "elizabeth", "elke", "elliot", "elodie", "elsbeth",
    "elżbieta", "emanuele", "emiliano", "emilie", "emily", "emmanuel", "emmanuelle", "enrico", "enrique",
    "erich", "erik", "erika", "ernesto", "erwin", "esteban", "estefanía", "estelle", "esther", "eugene",
    "eugenia", "eugenio", "evelyn", "evelyne", "ewa", "ewan", "ewelina", "fabian", "fabienne", "fabio",
    "fabiola", "fabrice", "fabrizio", "fatima", "fatma", "federica", "federico", "felicitas", "felipe",
    "femke", "fergus", "fernanda", "fernando", "filipa", "filipe", "filippo", "fiona", "florent", "florian",
    "floriane", "franca", "francesca", "francesco", "francine", "francisca", "francisco", "franciszek",
    "franziska", "françois", "françoise", "fredrik", "freya", "friederike", "friedrich", "gabriel",
    "gabriela", "gabriele", "gabriella", "gabrielle", "gareth", "gavin", "geneviève", "geoffrey", "georges",
    "georgina", "gerald", "gerard", "gerda", "gerhard", "germaine", "gernot", "gertrud", "giacomo",
    "gianluca", "gianni", "gilberto", "gilles", "gillian", "giorgia", "giorgio", "giovanna", "giovanni",
    "gisela", "gisèle", "giulia", "giuliana", "giulio", "giuseppe", "gonzalo", "gonçalo", "grażyna", "gregor",
    "gregory", "gretchen", "grzegorz", "gudrun", "guilherme", "guillaume", "guillermo", "gunther", "gustavo",
    "gwendolyn", "gérald", "gérard", "günter", "günther", "hakan", "halina", "hanneke", "hannelore", "harald",
    "harriet", "hartmut", "hassan", "hedwig", "heidi", "heike", "heiko", "heinrich", "heinz", "helene",
    "helga", "helmut", "hendrik", "henning", "henrietta", "henrique", "henryk", "herbert", "hermann",
    "hieronim", "hildegard", "hiroshi", "holger", "horst", "hortense", "humberto", "hussein", "hélène",
    "ibrahim", "ignacio", "igor", "iker", "ilaria", "ilona", "ilse", "imogen", "ingeborg", "ingo", "ingrid",
    "inka", "inês", "ioana", "irena", "irene", "irina", "irmgard", "isaac", "isabel", "isabelle", "isadora",
    "isolde", "ivonne", "iván", "iwona", "izabela", "jaap", "jacek", "jacqueline", "jacques", "jadwiga",
    "jagoda", "jakob", "jakub", "james", "jamila", "jana", "janet", "janina", "janine", "janusz", "jarosław",
    "jasmijn", "jason", "javier", "jeannette", "jeffrey", "jelena", "jelle", "jennifer", "jeremy", "jerzy",
    "jesper", "jessica", "jessika", "jill", "jimena", "joachim", "joana", "joanna", "joanne", "joaquín",
    "jochen", "johan", "johanna", "johannes", "jolanda", "jolanta", "jonas", "jonathan", "joost", "jordi",
    "jorge", "josef", "josefina", "joseph", "joshua", "josé", "joséphine", "joão", "juan", "juana", "judith",
    "juliana", "juliane", "julie", "julien", "juliette", "justine", "justyna", "jutta", "jérôme", "jörg",
    "jürgen", "kacper", "kaitlyn", "kamila", "karim", "karin", "karina", "karla", "karolina", "karoline",
    "karsten", "kasia", "katarina", "katarzyna", "katharina", "katherine", "kathleen", "kathrin", "kathryn",
    "katja", "katrin", "kayleigh", "keith", "kerstin", "kevin", "khadija", "khalid", "kimberly", "kirsten",
    "kirsty", "klaus", "kofi", "konstantin", "kornelia", "kristen", "kristin", "kristina", "kristof",
    "krystyna", "krzysztof", "kylie", "laetitia", "lakshmi", "larissa", "laszlo", "laurent", "lauriane",
    "leandro", "leanne", "leif", "leila", "lennart", "leonard", "leonie", "leonor", "leopold", "lesley",
    "leszek", "letizia", "liesbeth", "lieselotte", "lilian", "liliana", "lindsay", "lisbeth", "loredana",
    "lorenz", "lorenzo", "lothar", "louisa", "loïc", "luana", "lucas", "lucie", "lucrezia", "lucía",
    "ludmila", "ludovic", "ludwig", "luisa", "lukas", "luuk", "luísa", "lydia", "lynn", "léa", "léo",
    "maarten", "maciej", "madeleine", "mafalda", "magda", "magdalena", "maik", "maike", "malcolm", "malik",
    "mandy", "manfred", "manoel", "manon", "manuel", "manuela", "marcela", "marcelo", "marcin", "mareike",
    "marek", "margaret", "margarete", "margarida", "margarita", "margaux", "margherita", "margot", "margrit",
    "marguerite", "mariana", "marianne", "mariano", "marieke", "mariusz", "marjolein", "marlies", "marlène",
    "martina", "marzena", "maría", "massimo", "matej", "mateo", "mateus", "mateusz", "matheus", "mathieu",
    "mathilde", "mathis", "mats", "matteo", "matthew", "matthias", "matthieu", "mattia", "maureen",
    "mauricio", "mauro", "maximilian", "małgorzata", "meghan", "mehdi", "mehmet", "meike", "melanie",
    "melissa", "michael", "michaela", "michał", "michela", "michelle", "miguel", "mihai", "mikael", "mikkel",
    "milena", "mireille", "miriam", "miroslav", "mirosława", "mohamed", "mohammed", "monika", "monique",
    "moritz", "murielle", "mustafa", "mélanie", "nadia", "nadine", "nadège", "naomi", "natalia", "natalie",
    "nathalie", "nathaniel", "niall", "nicholas", "nicola", "nicolas", "nicole", "niels", "niklas", "nikolai",
    "nikolaus", "noelia", "noemi", "norbert", "noreen", "noémie", "nuno", "octavia", "odile", "olaf", "oleg",
    "olivier", "oluwaseun", "omar", "oriane", "ornella", "oskar", "oswald", "othmar", "paco", "pamela",
    "paola", "paolo", "pascal", "pascale", "patricia", "patrizia", "patrycja", "patryk", "paulina", "paulo",
    "pavel", "pawel", "paweł", "pedro", "penelope", "perrine", "petra", "petronella", "philipp", "philippa",
    "philippe", "phoebe", "phyllis", "pierre", "pierrick", "pieter", "piotr", "priscilla", "priya",
    "przemysław", "quentin", "quirin", "rachid", "radosław", "rafael", "rafał", "raffaele", "raimund",
    "rainer", "rajesh", "ramona", "ramón", "randolph", "raphaël", "raquel", "rashid", "raymond", "raúl",
    "reinhard", "reinhold", "renata", "renate", "renato", "renaud", "renée", "rhiannon", "ricarda", "ricardo",
    "riccardo", "roberta", "roberto", "rocío", "roderick", "rodolfo", "rodrigo", "rolf", "romain", "rosalind",
    "rosamund", "rosemarie", "roswitha", "roxane", "rui", "rupert", "ryszard", "régine", "rüdiger", "sabina",
    "sabine", "sabrina", "salvatore", "samantha", "samir", "sandro", "sanjay", "sanne", "saoirse", "sascha",
    "saskia", "sebastian", "sebastián", "serge", "sergio", "severin", "shannon", "sheila", "shirley",
    "shreya", "sibylle", "siegfried", "sieglinde", "siegmar", "sigrid", "silke", "silvia", "silvio", "simona",
    "siobhan", "sofie", "solange", "sophie", "stanisław", "stefan", "stefania", "stefanie", "stefano",
    "steffi", "stephan", "stephanie", "stephen", "steven", "stéphane", "stéphanie", "sunil", "susana",
    "susann", "susanna", "susanne", "suzanne", "svein", "sven", "svenja", "svetlana", "sybille", "sylvain",
    "sylvie", "sébastien", "séverine", "sören", "sławomir", "tadeusz", "takeshi", "tamara", "tamika", "tanja",
    "tatiana", "tatjana", "terence", "teresa", "thaddäus", "theo", "theodor", "theresa", "theresia", "thiago",
    "thibault", "thierry", "thomas", "thorsten", "thérèse", "tiago", "tibor", "tilman", "timothy", "tobias",
    "tomas", "tomasz", "tommaso", "tomás", "torben", "torsten", "trudy", "udo", "ulf", "ulla", "ulrich",
    "ulrike", "umberto", "ursula", "urszula", "uta", "ute", "uwe", "valentina", "valeria", "valérie",
    "vanessa", "verena", "veronica", "veronika", "veronique", "verónica", "vicente", "victor", "viktor",
    "viktoria", "vincenzo", "virginie", "viviane", "vladimir", "volker", "vusi", "véronique", "víctor",
    "waldemar", "waltraud", "wanda", "wenzel", "werner", "wiebke", "wieland", "wiesław", "wilfried",
    "wilhelm", "willem", "wilma", "winfried", "wioletta", "witold", "wojciech", "wolfgang", "wouter",
    "władysław", "ximena", "yannick", "yannis", "yasmin", "yasmine", "yolanda", "yosef", "yusuf", "yves",
    "yvette", "yvonne", "zacharias", "zachary", "zainab", "zbigniew", "zdzisław", "zofia", "zoltan",
    "zuzanna", "élodie", "étienne", "łukasz",
]);

/// Names that are words in small letters. Sorted.
#[rustfmt::skip]
static CAPITALISED: List = List::new(&[
    "angela", "angelica", "angelika", "angelo", "anna", "anne", "arthur", "bianca", "brandon", "bruno",
    "candice", "carlo", "carlos", "charles", "clara", "claudia", "claudio", "corinna", "dave", "denise",
    "dominik", "donna", "duncan", "edwin", "elisa", "ellen", "emilia", "emma", "erica", "eva", "felix",
    "filip", "frank", "franz", "fritz", "gary", "gina", "graham", "hannah", "hans", "harold", "heather",
    "hector", "helena", "henri", "hubert", "hugh", "hugo", "ian", "inga", "ivana", "jasmine", "jenny", "john",
    "jose", "julia", "karen", "karl", "katie", "kenneth", "klara", "konrad", "kurt", "lars", "laura",
    "lauren", "laurence", "lena", "lidia", "lina", "linda", "lisa", "lorena", "louise", "luigi", "luis",
    "marc", "marcel", "marco", "marcos", "maria", "marie", "mario", "marta", "martha", "martin", "mary",
    "maurice", "michel", "nathan", "nils", "noah", "nora", "olga", "oliver", "olivia", "oscar", "pablo",
    "patrick", "paul", "paula", "pauline", "peter", "philip", "rachel", "ralf", "ravi", "rebecca", "richard",
    "robert", "roger", "rosalie", "rosie", "ruth", "ryan", "samuel", "sandra", "sara", "sarah", "sean",
    "serena", "sharon", "simon", "simone", "sofia", "sonja", "sophia", "stuart", "susan", "sylvia", "tania",
    "tina", "tristan", "vincent", "walter", "wendy", "xavier",
]);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::everyday::is_prose;

    #[test]
    fn lists_are_sorted_apart_and_no_prose() {
        for list in [UNMISTAKABLE.words, CAPITALISED.words] {
            for pair in list.windows(2) {
                assert!(pair[0] < pair[1], "{} before {}", pair[0], pair[1]);
            }
            assert!(list.iter().all(|name| name.to_lowercase() == **name && !is_prose(name)));
        }
        assert!(CAPITALISED.words.iter().all(|name| !UNMISTAKABLE.has(name)));
    }

    #[test]
    fn the_case_counts_where_a_name_is_a_word() {
        assert!(is_given("Uwe") && is_given("uwe") && is_given("Maria"));
        assert!(!is_given("maria") && !is_given("Milan") && !is_given("table"));
    }
}

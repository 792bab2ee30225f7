//! Gains of actions of We All Take from the River in words.

use super::{
    CommonRiver,
    action::Action,
    components::{Objective, Structure, Token, Tokens},
    state::State,
};
use watershed_engine::{
    game::{Gain, Game as _},
    games::labels::{count, enumerate, player},
};

/// Worth of a token that an objective counts, against one for others.
const COUNTED: i32 = 3;
/// Worth of a trade.
const TRADE: u32 = 4;

impl CommonRiver {
    /// Returns what the seats get by an action, with the steps that follow it.
    pub(super) fn gains_of(&self, state: &State, action: Action) -> Vec<Gain> {
        let (seat, mut after) = (state.decider, *state);
        self.apply(&mut after, action);
        let amount = |seat, name: &str, part, worth, number: [u32; 2]| {
            let change = number[1] as i32 - number[0] as i32;
            let gain = Gain { worth, amount: Some(change), ..Gain::new(seat, name, part, 0) };
            (change != 0).then_some(gain)
        };
        let mut gains = Vec::new();
        for seat in self.all_seats() {
            for token in Token::ALL {
                let worth = if self.is_counted(state, token) { COUNTED } else { 1 };
                let held = [state, &after].map(|state| state.stock(seat).get(token));
                let name = if token == Token::Tree { "trees" } else { token.name() };
                gains.extend(amount(seat, name, token.name(), worth, held));
            }
        }
        let site = [state, &after].map(|state| state.site.total());
        if !after.city_complete {
            gains.extend(amount(seat, "tokens in the City", "development", COUNTED, site));
        } else if !state.city_complete {
            gains.push(Gain::new(seat, "the City", "development", self.city_cost.total()));
        }
        // Less pollution is the gain.
        let pollution = [&after, state].map(State::pollution);
        let name = "slots without pollution";
        gains.extend(amount(seat, name, "conservation", COUNTED, pollution));
        match action {
            Action::Build(kind) => gains.push(self.structure(state, kind)),
            Action::BuildNet(_) => gains.push(self.structure(state, Structure::Net)),
            Action::Accept => {
                let offerer = Self::seat_at_cursor(state);
                let [given, asked] =
                    [&state.offered_tokens, &state.requested_tokens].map(token_words);
                let name = format!("{asked} from {} for {given}", player(seat));
                gains.push(Gain::new(offerer, name, "trades", TRADE).brief());
            }
            _ => {}
        }
        gains
    }

    fn structure(&self, state: &State, kind: Structure) -> Gain {
        let name = kind.name();
        let article = if name.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
        let worth = 1 + self.costs[kind as usize].total();
        Gain::new(state.decider, format!("{article} {name}"), "structures", worth)
    }

    /// Returns true if an objective of the seat that decides counts this kind of token.
    fn is_counted(&self, state: &State, token: Token) -> bool {
        let objective = match token {
            Token::Fish => Objective::Agriculture,
            Token::Gold => Objective::Capital,
            _ => return false,
        };
        self.objectives(state, state.decider) & objective.bit() != 0
    }
}

/// Returns tokens in words, as in `1 fish and 2 trees`.
fn token_words(tokens: &Tokens) -> String {
    let held = Token::ALL.into_iter().filter(|&token| tokens.get(token) > 0);
    let parts = held.map(|token| match (token, tokens.get(token)) {
        (Token::Tree, number) => count(number, "tree"),
        (_, number) => format!("{number} {}", token.name()),
    });
    let text = enumerate(parts);
    if text.is_empty() { "nothing".to_owned() } else { text }
}

//! Offers: a bot that searches chooses a whole offer at once, by what both seats gain from it.

use super::View;
use crate::{
    game::{Features, Game, Offer, Seat},
    rng::Rng,
    search::Evaluator,
};

/// Smallest gain in win probability for which a seat offers, and for which it expects the partner
/// to accept.
const MIN_GAIN: f32 = 0.005;
/// Number of positions, as the seat may be in, over which gains are means.
const POSITIONS: usize = 4;
/// Number of offers whose gain for the partner is computed: those with the largest own gain.
const MAX_OFFERS: usize = 8;

/// Returns the actions of the offer with the largest gain for the seat that decides, among those
/// that the partner gains from too; `None` if there is none.
///
/// The partner is taken to know no more than the seat: its gain is a mean over positions that the
/// seat cannot distinguish.
pub(super) fn choose_offer<G: Features>(
    evaluator: &dyn Evaluator<G>,
    view: &View<'_, G>,
    offers: Vec<Offer<G::Action>>,
    rng: &mut Rng,
) -> Option<Vec<G::Action>> {
    let (game, seat) = (view.game(), view.seat());
    let states: [G::State; POSITIONS] = std::array::from_fn(|_| view.determinize(rng));
    let gain = |offer: &Offer<G::Action>, states: &[G::State], seat: Seat| {
        let gains = states.iter().map(|state| {
            let [accepted, refused] = answers(game, state, offer)
                .map(|after| evaluator.win_probabilities(game, &after)[seat.index()]);
            accepted - refused
        });
        gains.sum::<f32>() / states.len() as f32
    };
    let own = offers.into_iter().map(|offer| (gain(&offer, &states[..1], seat), offer));
    let mut own: Vec<_> = own.filter(|&(gain, _)| gain >= MIN_GAIN).collect();
    own.sort_by(|(one, _), (other, _)| other.total_cmp(one));
    let is_accepted = |offer: &Offer<_>| gain(offer, &states, offer.partner) >= MIN_GAIN;
    let mut best = own.into_iter().take(MAX_OFFERS).map(|(_, offer)| offer);
    best.find(is_accepted).map(|offer| offer.actions)
}

/// Returns the positions after an offer was accepted, and after it was refused.
fn answers<G: Game>(game: &G, state: &G::State, offer: &Offer<G::Action>) -> [G::State; 2] {
    let mut offered = *state;
    offer.actions.iter().for_each(|&action| game.apply(&mut offered, action));
    [offer.accept, offer.refuse].map(|answer| {
        let mut after = offered;
        game.apply(&mut after, answer);
        after
    })
}

//! Games that several people play, each on a device of their own.
//!
//! An invitation makes the identifier of a game that of one seat. Every other person joins by a
//! key, once, and gets an identifier of their own. Who has the identifier of a seat sees what the
//! seat sees and decides for it alone, so that people keep secrets from each other. The game itself
//! is kept under an identifier that nobody has.

use std::{collections::BTreeMap, sync::Arc};

use super::{answer::Invitation, game::GameInProgress};
use crate::{
    bound::GameSession,
    game::Seat,
    protocol::problem::Problem,
    session::{ChanceOrigin, Next, Player},
};

/// The seats of shared games, by the identifiers of people and the keys of invitations.
#[derive(Default)]
pub(super) struct SharedSeats(BTreeMap<String, SharedSeat>);

/// A seat of a shared game.
struct SharedSeat {
    /// The identifier under which the game is kept.
    game: String,
    seat: Seat,
    /// True until somebody joins, for keys of invitations.
    is_open: bool,
}

impl SharedSeats {
    /// Returns the game and the seat of a person.
    pub(super) fn find(&self, id: &str) -> Option<(&str, Seat)> {
        let shared = self.0.get(id).filter(|shared| !shared.is_open)?;
        Some((&shared.game, shared.seat))
    }

    /// Adds a seat, open or with its person.
    pub(super) fn add(&mut self, id: String, game: &str, seat: Seat, is_open: bool) {
        self.0.insert(id, SharedSeat { game: game.to_owned(), seat, is_open });
    }

    /// Returns the keys of the seats of a game that nobody has joined yet.
    pub(super) fn open_seats(&self, game: &str) -> Vec<Invitation> {
        let open = self.0.iter().filter(|(_, shared)| shared.is_open && shared.game == game);
        let mut open: Vec<_> = open
            .map(|(key, shared)| Invitation { seat: shared.seat.index(), key: key.clone() })
            .collect();
        open.sort_by_key(|invitation| invitation.seat);
        open
    }

    /// Gives an open seat to the person who has its key, under a new identifier.
    ///
    /// # Errors
    /// Returns an error if nobody was invited by the key, or if somebody has used it.
    pub(super) fn join(&mut self, key: &str, id: &str) -> Result<(), Problem> {
        if !self.0.get(key).is_some_and(|shared| shared.is_open) {
            return Err(
                "nobody is invited by this link any more; who has joined goes on from the \
                        list of games on the start page of the same browser"
                    .into(),
            );
        }
        if let Some(shared) = self.0.remove(key) {
            self.add(id.to_owned(), &shared.game, shared.seat, false);
        }
        Ok(())
    }

    /// Opens the seat of a person who leaves, under a new key; returns false if the identifier is
    /// of no seat.
    pub(super) fn leave(&mut self, id: &str, key: String) -> bool {
        let Some((game, seat)) = self.find(id).map(|(game, seat)| (game.to_owned(), seat)) else {
            return false;
        };
        self.0.remove(id);
        self.add(key, &game, seat, true);
        true
    }

    /// Withdraws the invitation to a seat of a game.
    pub(super) fn close(&mut self, game: &str, seat: usize) {
        self.0.retain(|_, shared| {
            !(shared.is_open && shared.game == game && shared.seat.index() == seat)
        });
    }

    /// Drops the seats of games that are not kept any more.
    pub(super) fn retain(&mut self, is_kept: impl Fn(&str) -> bool) {
        self.0.retain(|_, shared| is_kept(&shared.game));
    }
}

/// A game as somebody who has an identifier may use it.
pub(super) struct Access {
    /// The identifier under which the game is kept.
    pub(super) key: String,
    pub(super) game: Arc<GameInProgress>,
    /// The seat of the person in a shared game; `None` if all people share one page.
    pub(super) own: Option<Seat>,
}

impl Access {
    /// Returns the seats of people, each of whom gets an identifier of their own.
    ///
    /// # Errors
    /// Returns an error if there are fewer than two, or if they enter chance outcomes, which they
    /// do at one table.
    pub(super) fn people(&self) -> Result<Vec<Seat>, Problem> {
        let setup = self.game.session.setup();
        let players = setup.players.iter().enumerate();
        let people = players.filter(|(_, player)| matches!(player, Player::Person));
        let people: Vec<_> = people.map(|(seat, _)| Seat::new(seat)).collect();
        if people.len() < 2 {
            return Err("an invitation needs a seat for a second person".into());
        }
        if setup.chance == ChanceOrigin::Entered {
            return Err("people who enter chance outcomes share one page".into());
        }
        Ok(people)
    }

    /// Refuses to give seats away to all but the person who shared the game, and to others as long
    /// as that person has not left.
    pub(super) fn may_invite(&self, people: &[Seat], open: &[Invitation]) -> Result<(), Problem> {
        let has_left = open.iter().any(|invitation| invitation.seat == people[0].index());
        if self.own.is_none() || self.own == Some(people[0]) || has_left {
            return Ok(());
        }
        Err("only the person who shared the game invites others".into())
    }

    /// Refuses the record of a game that was set up, and of a shared game until it is over: it has
    /// what is hidden.
    pub(super) fn may_save(&self) -> Result<(), Problem> {
        if self.game.session.is_set_up() {
            return Err("a game from a position that was set up has no record".into());
        }
        if self.own.is_some() && !self.game.is_over() {
            return Err("a game with invited people can be saved when it is over".into());
        }
        Ok(())
    }
}

/// Refuses what only the person who decides may do.
pub(super) fn may_decide(session: &GameSession, own: Option<Seat>) -> Result<(), Problem> {
    if own.is_some_and(|own| session.next() != Next::Person(own)) {
        return Err("another player decides".into());
    }
    Ok(())
}

/// Refuses to take back or to make again what others have seen. Choices of a combination that are
/// not events yet can be taken back.
pub(super) fn may_go_back(session: &GameSession, own: Option<Seat>) -> Result<(), Problem> {
    may_decide(session, own)?;
    if own.is_some() && session.pending().is_empty() {
        return Err("with invited people, no decision is taken back".into());
    }
    Ok(())
}
